import pytest

from worker.adversarial.vocabulary import Vocabulary, english_words, has_word_list


def test_frequency_counts_queries_not_words() -> None:
    """A word twice in one query counts once, whatever its case."""
    vocabulary = Vocabulary.build(["Reset reset password", "password"], language="de")
    assert vocabulary.frequency == {"reset": 1, "password": 2}


def test_words_of_the_set_are_known_in_any_language() -> None:
    """Without a word list only the set's own words are known."""
    vocabulary = Vocabulary.build(["Passwort vergessen"], language="de")
    assert vocabulary.is_word("PASSWORT")
    assert not vocabulary.is_word("password")


@pytest.mark.parametrize(
    ("language", "listed"),
    [("", True), ("en", True), ("en-GB", True), ("EN_us", True), ("de", False), ("eng", False)],
)
def test_the_english_list_serves_english_alone(language: str, listed: bool) -> None:  # noqa: FBT001
    """Regions of English count, other languages do not; no language is taken for English."""
    assert has_word_list(language) is listed
    assert Vocabulary.build([], language=language).is_word("bowling") is listed


def test_the_list_is_loaded_once() -> None:
    """Every vocabulary shares one list."""
    assert english_words() is english_words()
    assert len(english_words()) > 100_000
