import pytest

from tests.unit.worker.adversarial.subjects import of_language, reason_of, text_of, texts_of


@pytest.mark.parametrize(
    ("kind", "query", "text"),
    [
        ("unicode.nfd", "caf\u00e9", "cafe\u0301"),
        ("unicode.fullwidth", "a1?", "\uff41\uff11?"),
        ("unicode.typographic", 'what\'s "up" - a-b', "what\u2019s \u201cup\u201d \u2013 a\u2010b"),
        ("unicode.typographic", "first flat 'tis", "\ufb01rst \ufb02at \u2018tis"),
        ("case.upper", "WHO guidelines", "WHO GUIDELINES"),
        ("case.lower", "WHO Guide", "who guide"),
        ("case.title", "what's new in McDonald's", "What's New In McDonald's"),
        ("case.alternate", "abc d2e", "aBc D2e"),
        ("case.turkish", "ticket info", "T\u0130CKET \u0130NFO"),
        ("keyboard_layout", "reset", "\u043a\u0443\u044b\u0443\u0435"),
    ],
)
def test_whole_texts_are_written_anew(kind: str, query: str, text: str) -> None:
    """Each kind does one thing to all of the query."""
    assert text_of(kind, query) == text


@pytest.mark.parametrize(
    ("kind", "query", "reason"),
    [
        ("unicode.nfd", "cafe", "no_composed_letter"),
        ("unicode.fullwidth", "\u6771\u4eac", "no_latin_letter"),
        ("unicode.typographic", "plain", "no_quote_or_dash"),
        ("case.upper", "WHO", "no_small_letter"),
        ("case.lower", "who", "no_capital"),
        ("case.title", "Who 2", "no_small_initial"),
        ("case.alternate", "a 1", "no_letter_with_case"),
        ("case.turkish", "WHO", "no_letter_i"),
        ("whitespace_punct", " ", "no_word"),
        ("keyboard_layout", "123", "same_on_both_layouts"),
    ],
)
def test_a_text_that_would_stay_is_not_applicable(kind: str, query: str, reason: str) -> None:
    """The reason says what it lacks."""
    assert reason_of(kind, query) == reason


def test_spaces_and_marks_change_one_at_a_time() -> None:
    """Every change that the query offers comes up, and no other."""
    assert texts_of("whitespace_punct", "a's b-c") == {
        *(f"a's b-c{mark}" for mark in "?!.,"),
        " a's b-c",
        "a's b-c ",
        "a's  b-c",
        "a's\tb-c",
        "a's\nb-c",
        "a's_b-c",
        "a's b c",
        "a s b-c",
    }
    assert texts_of("whitespace_punct", "who?") == {"who", " who?", "who? "}
    assert texts_of("whitespace_punct", "(who)") == {" (who)", "(who) "}


@pytest.mark.parametrize(
    ("language", "query", "text"),
    [
        ("de", "zwei", "ywei"),
        ("fr", "aqua", "qauq"),
        ("es", "ni\u00f1o", "ni;o"),
        ("ru", "\u0433\u043e\u0434", "ujl"),
    ],
)
def test_every_language_has_a_keyboard_to_mistake(language: str, query: str, text: str) -> None:
    """What its keys give where QWERTY is set."""
    assert text_of("keyboard_layout", query, known=of_language(language)) == text


def test_an_unknown_language_has_no_keyboard() -> None:
    """Nothing is guessed."""
    assert reason_of("keyboard_layout", "parola", known=of_language("it")) == "language"
