from collections import Counter

import pytest

from tests.unit.worker.adversarial.subjects import of_language, reason_of, text_of, texts_of


@pytest.mark.parametrize(
    ("language", "query", "text"),
    [
        (
            "en",
            "How do I get from Oslo to Rome without a stop?",
            "get from Oslo to Rome without stop?",
        ),
        ("en", "why don't the lamps work", "don't lamps work"),
        ("de", "Wie komme ich ohne Auto nach Bonn", "komme ohne Auto nach Bonn"),
        ("fr", "comment aller de Lyon sans voiture", "aller de Lyon sans voiture"),
        ("es", "d\u00f3nde est\u00e1 la oficina sin cita", "oficina sin cita"),
        (
            "ru",
            "\u0433\u0434\u0435 \u043c\u043e\u0439 \u0437\u0430\u043a\u0430\u0437",
            "\u0437\u0430\u043a\u0430\u0437",
        ),
    ],
)
def test_grammar_is_dropped_but_for_negation_and_direction(
    language: str, query: str, text: str
) -> None:
    """What is left is in order, as written."""
    assert text_of("naturality.stopwords", query, known=of_language(language)) == text


def test_grammar_cannot_be_dropped_from_what_has_none_or_nothing_else() -> None:
    """Nor in a language whose function words are not known."""
    assert reason_of("naturality.stopwords", "invoice reminder") == "no_function_word"
    assert reason_of("naturality.stopwords", "to be or not to be") == "no_content_word"
    assert reason_of("naturality.stopwords", "la porta", known=of_language("it")) == "language"


def test_keywords_become_a_question_and_back() -> None:
    """Each of the language's frames comes up; a question loses frame, grammar and mark."""
    assert texts_of("naturality.question", "invoice reminder.") == {
        "What is invoice reminder?",
        "What is known about invoice reminder?",
        "Where do I find invoice reminder?",
    }
    assert text_of("naturality.question", "Where is the invoice?") == "invoice"
    assert text_of("naturality.question", "how to print an invoice") == "to print invoice"
    assert text_of(
        "naturality.question", "\u00bfD\u00f3nde est\u00e1 la factura?", known=of_language("es")
    ) == ("factura")


def test_a_question_needs_words_of_the_language() -> None:
    """Not around another script, nor around nothing, nor in an unknown language."""
    assert reason_of("naturality.question", "\u6771\u4eac") == "script"
    assert reason_of("naturality.question", "\u043f\u043e\u0433\u043e\u0434\u0430") == "script"
    assert reason_of("naturality.question", "the of") == "no_content_word"
    assert reason_of("naturality.question", "porta", known=of_language("it")) == "language"


def test_two_words_are_swapped() -> None:
    """Every pair comes up, punctuation stays in its place, equal words are no pair."""
    assert texts_of("order.swap", "a b, c?") == {"b a, c?", "c b, a?", "a c, b?"}
    assert reason_of("order.swap", "invoice") == "too_few_words"
    assert reason_of("order.swap", "Help help!") == "no_two_words"


def test_words_are_shuffled() -> None:
    """Every other order of three comes up; no word is lost."""
    texts = texts_of("order.shuffle", "invoice late fee")
    assert len(texts) == 5
    assert all(Counter(text.split()) == Counter(["invoice", "late", "fee"]) for text in texts)
    assert reason_of("order.shuffle", "late fee") == "too_few_words"
    assert reason_of("order.shuffle", "help help help") == "no_two_words"
