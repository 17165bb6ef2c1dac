from functools import cache

import pytest

from tests.unit.worker.adversarial.subjects import (
    NO_WORDS,
    of_language,
    reason_of,
    text_of,
    texts_of,
)
from worker.adversarial.vocabulary import Vocabulary


@cache
def listed(tag: str) -> Vocabulary:
    """Return a language's word list, read when a test first asks: collecting needs none."""
    return Vocabulary.build([], language=tag)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("box", "box"),
        ("boxes", "box"),
        ("factory", "factories"),
        ("factories", "factory"),
        ("Invoice", "Invoices"),
        ("ADDRESS", "ADDRESSES"),
        ("keys", "key"),
        ("late invoices", "late invoice"),
    ],
)
def test_number_is_toggled(query: str, text: str) -> None:
    """Singular to plural and back, in the word's case; short words are left alone."""
    if query == text:
        assert reason_of("inflection", query) == "no_content_word"
    else:
        assert text in texts_of("inflection", query)


def test_every_word_that_has_another_form_is_inflected() -> None:
    """At severity 3 those that have none stay."""
    assert text_of("inflection", "forgotten passwords and invoices", 3) == (
        "forgotten password and invoice"
    )


@pytest.mark.parametrize(
    ("language", "query", "text"),
    [
        ("de", "Rechnung", "Rechnungen"),
        ("de", "Rechnungen", "Rechnung"),
        ("fr", "bateaux", "bateau"),
        ("fr", "journal", "journaux"),
        ("es", "canciones", "canci\u00f3n"),
        ("es", "factura", "facturas"),
        ("ru", "\u043a\u043d\u0438\u0433\u0430", "\u043a\u043d\u0438\u0433\u0438"),
    ],
)
def test_every_language_inflects_by_its_own_rules(language: str, query: str, text: str) -> None:
    """The other form is a listed word."""
    assert text_of("inflection", query, known=listed(language)) == text


def test_inflection_needs_a_word_list() -> None:
    """Rules alone would make nonsense."""
    assert reason_of("inflection", "password", known=NO_WORDS) == "language"
    assert reason_of("inflection", "forgotten") == "no_other_form"


@pytest.mark.parametrize(
    ("language", "query", "texts"),
    [
        ("en", "favourite Color", {"favorite Color", "favourite Colour"}),
        ("en", "don't AUTHORISE", {"do not AUTHORISE", "don't AUTHORIZE"}),
        ("en", "salt & pepper", {"salt and pepper"}),
        ("en", "What is new", {"What's new"}),
        ("de", "da\u00df", {"dass"}),
        ("de", "Stra\u00dfe \u00fcber", {"Strasse \u00fcber", "Stra\u00dfe ueber"}),
        ("fr", "s\u0153ur", {"soeur"}),
        ("es", "solo", {"s\u00f3lo"}),
        ("ru", "\u0451\u0436", {"\u0435\u0436"}),
    ],
)
def test_another_accepted_spelling(language: str, query: str, texts: set[str]) -> None:
    """One word or letter at a time, both ways, in its case."""
    made = texts_of("variant_spelling", query, known=of_language(language))
    assert texts <= made
    assert len(made) <= len(texts) + 1


def test_a_word_inside_another_is_no_spelling() -> None:
    """Colour is replaced, colourful is not."""
    assert reason_of("variant_spelling", "colourful photographs") == "no_other_spelling"
    assert reason_of("variant_spelling", "colore", known=of_language("it")) == "language"
