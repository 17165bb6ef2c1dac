import pytest

from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.vocabulary import (
    Vocabulary,
    english_words,
    find_names,
    has_word_list,
    list_common_words,
    list_words,
)


def test_frequency_counts_queries_not_words() -> None:
    """A word twice in one query counts once, whatever its case."""
    vocabulary = Vocabulary.build(["Reset reset password", "password"], language="it")
    assert vocabulary.frequency == {"reset": 1, "password": 2}


def test_words_of_the_set_are_known_in_any_language() -> None:
    """Without a word list only the set's own words are known."""
    vocabulary = Vocabulary.build(["parola dimenticata"], language="it")
    assert vocabulary.is_word("PAROLA")
    assert not vocabulary.is_word("password")


@pytest.mark.parametrize(
    ("language", "listed"),
    [("", True), ("en-GB", True), ("EN_us", True), ("de-AT", True), ("it", False), ("eng", False)],
)
def test_a_list_serves_its_language(language: str, listed: bool) -> None:  # noqa: FBT001
    """Regions count, an unlisted language has none; no language is taken for English."""
    assert has_word_list(language) is listed


def test_every_language_has_its_own_words() -> None:
    """A word of one language is none of another."""
    words = {
        "en": "vegetables",
        "fr": "fen\u00eatre",
        "es": "contrase\u00f1a",
        "ru": "\u0441\u043b\u043e\u0432\u043e",
    }
    for language, word in words.items():
        known = [tag for tag in words if word in list_words(tag)]
        assert known == [language]
        assert Vocabulary.build([], language=language).is_word(word)
    assert not Vocabulary.build([], language="it").is_word("finestra")


def test_the_list_is_loaded_once() -> None:
    """Every vocabulary shares one list."""
    assert english_words() is english_words()
    assert len(english_words()) > 100_000


def test_common_words_are_fewer() -> None:
    """Words that the list only knows from a dictionary are not common."""
    assert list_common_words("en") < english_words()
    assert "from" in list_common_words("en")
    assert "reest" not in list_common_words("en")


def test_names_are_capitals_inside_a_sentence() -> None:
    """Not the first word, and nothing in a heading, where every word has a capital."""
    grammar = ENGLISH.function_words
    assert [word.text for word in find_names(" Flights from Paris to Rome", grammar)] == [
        "Paris",
        "Rome",
    ]
    assert find_names("Reset Forgotten Password", grammar) == []
    assert find_names("Guide to Forgotten Passwords", grammar) == []
    assert Vocabulary.build(["a trip to Rome", "walk by the Tiber today"], language="en").names == (
        "Rome",
        "Tiber",
    )


def test_neutral_words_are_none_of_the_set() -> None:
    """Nor do the sentences share one with it."""
    known = Vocabulary.build(["garden lamp by the river", "birthdays"], language="en")
    assert {"garden", "lamp", "river"}.isdisjoint(known.neutral)
    assert "kettle" in known.neutral
    assert len(known.asides) == len(ENGLISH.asides) - 2
