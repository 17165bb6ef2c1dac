import pytest

from reteval.contract.kinds import KINDS, Labels
from tests.unit.worker.adversarial.subjects import (
    ENGLISH,
    of_language,
    reason_of,
    text_of,
    texts_of,
)
from worker.adversarial.vocabulary import Vocabulary

PLACES = Vocabulary.build(
    ["flights from Paris to Rome", "weather in Oslo", "what is new"], language="en"
)


def test_these_kinds_change_the_labels() -> None:
    """They are scored by how far the ranking moves."""
    changing = {kind.name for kind in KINDS.values() if kind.labels == Labels.CHANGING}
    assert changing == {"negation", "entity_swap", "number_change"}


def test_one_of_the_topics_is_excluded() -> None:
    """Each word and frame comes up; a final mark stays final."""
    assert texts_of("negation", "cancel subscription?") == {
        "cancel subscription but not about cancel?",
        "cancel subscription but not about subscription?",
        "cancel subscription without cancel?",
        "cancel subscription without subscription?",
    }


@pytest.mark.parametrize(
    ("language", "query", "part"),
    [
        ("de", "Rechnung drucken", " ohne "),
        ("fr", "imprimer facture", " sans "),
        ("es", "imprimir factura", " sin "),
        ("ru", "\u043f\u043e\u0433\u043e\u0434\u0430 \u0437\u0438\u043c\u0430", " \u043d\u0435 "),
    ],
)
def test_every_language_negates_in_its_own_words(language: str, query: str, part: str) -> None:
    """One of its frames has this word."""
    assert any(part in text for text in texts_of("negation", query, known=of_language(language)))


def test_negation_needs_something_to_be_left() -> None:
    """One topic cannot be excluded from itself, nor in another script or unknown language."""
    assert reason_of("negation", "password password") == "too_few_content_words"
    assert (
        reason_of("negation", "\u043f\u043e\u0433\u043e\u0434\u0430 \u0437\u0438\u043c\u0430")
        == "script"
    )
    assert reason_of("negation", "stampare fattura", known=of_language("it")) == "language"


def test_a_name_becomes_another_name_of_the_set() -> None:
    """Never one that the query has already."""
    assert texts_of("entity_swap", "flights from Paris to Rome", known=PLACES) == {
        "flights from Oslo to Rome",
        "flights from Paris to Oslo",
    }
    assert text_of("entity_swap", "weather in Oslo", known=PLACES).startswith("weather in ")


def test_names_are_needed_on_both_sides() -> None:
    """And a language in which a capital marks a name."""
    assert reason_of("entity_swap", "what is new", known=PLACES) == "no_name"
    assert reason_of("entity_swap", "weather in Oslo", known=ENGLISH) == "no_other_name"
    assert reason_of("entity_swap", "das Wetter in Bonn", known=of_language("de")) == "language"
    assert reason_of("entity_swap", "il tempo a Roma", known=of_language("it")) == "language"
