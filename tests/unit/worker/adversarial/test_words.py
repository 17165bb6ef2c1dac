import pytest

from worker.adversarial.words import Word, content_words, fold


def texts(query: str) -> list[str]:
    """Return the content words alone."""
    return [word.text for word in content_words(query)]


def test_content_words_keep_case_and_offsets() -> None:
    """Words come as written, with the place where they stand."""
    assert content_words("How do I Reset, a  password?") == [Word("Reset", 9), Word("password", 19)]


def test_a_word_ends_behind_its_last_letter() -> None:
    """Start and end cut the word out of the query."""
    query = "the password"
    (word,) = content_words(query)
    assert query[word.start : word.end] == "password"


@pytest.mark.parametrize(
    "query",
    [
        "the of and to",
        "ISO9001 X509v3",
        "user_name",
        "someone@example.org",
        "https://example.org/login",
        "example.org",
        "print() C:\\temp",
        "東京の天気",
        "to be or not to be",
        "",
        "????",
    ],
)
def test_grammar_identifiers_and_unlettered_scripts_carry_no_content(query: str) -> None:
    """None of these offers a word that may be misspelled."""
    assert texts(query) == []


@pytest.mark.parametrize("query", ["погода", "שלום עולם", "مرحبا", "Straße", "ŁÓDŹ"])
def test_other_alphabets_have_words(query: str) -> None:
    """Cased letters, Hebrew and Arabic are alphabets."""
    assert texts(query) == query.split()


def test_a_word_with_combining_marks_is_left_alone() -> None:
    """An edit beside a combining mark would move the accent."""
    assert texts("cafe\u0301 menu") == ["menu"]


def test_an_apostrophe_ends_a_word() -> None:
    """The possessive's word is content, the negation's stem is grammar."""
    assert texts("child's doesn't") == ["child"]


def test_fold_ignores_form_case_and_spacing() -> None:
    """Texts that differ only in these are the same."""
    assert fold(" \uff32eset\u00a0 PASSWORD\n") == fold("reset password") == "reset password"
