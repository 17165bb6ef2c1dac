import pytest

from tests.unit.worker.adversarial.subjects import ENGLISH, of_language, reason_of, text_of
from worker.adversarial.languages.catalogue import LANGUAGES
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import content_words, fold

CYRILLIC = "\u043f\u0430\u0440\u043e\u043b\u044c"
WORDS = {"en": "password", "de": "Passwort", "fr": "facture", "es": "factura", "ru": CYRILLIC}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_frame_stands_around_the_query(language: str) -> None:
    """Courtesy on both sides, context before, noise behind: in the language of the set."""
    known, query = of_language(language), WORDS[language]
    if language != "en":
        known = Vocabulary.build([query], language=language)
    polite = text_of("verbose.polite", query, known=known)
    assert f" {query} " in polite
    context = text_of("verbose.context", query, known=known)
    assert context.endswith(f" {query}")
    assert sum(aside in context for aside in known.asides) == 2
    noise = text_of("noise.append", query, known=known).split()
    assert noise[0] == query
    assert set(noise[1:]) <= set(known.neutral)


@pytest.mark.parametrize(("severity", "words"), [(1, 10), (2, 50), (3, 200)])
def test_noise_is_as_long_as_the_severity_says(severity: int, words: int) -> None:
    """The list is gone through again once it is used up, and no earlier."""
    noise = text_of("noise.append", "password", severity).split()[1:]
    assert len(noise) == words
    assert len(set(noise)) == min(words, len(ENGLISH.neutral))


@pytest.mark.parametrize("kind", ["verbose.polite", "verbose.context", "noise.append"])
def test_nothing_is_put_around_another_script_or_language(kind: str) -> None:
    """A kind refuses rather than mix languages."""
    assert reason_of(kind, CYRILLIC) == "script"
    assert reason_of(kind, "\u6771\u4eac password") == "script"
    assert reason_of(kind, "42") == "script"
    assert reason_of(kind, "parola", known=of_language("it")) == "language"


def test_a_set_about_everything_has_no_neutral_words() -> None:
    """What occurs in the set is no noise."""
    known = Vocabulary.build([*ENGLISH.neutral, *ENGLISH.asides], language="en")
    assert reason_of("noise.append", "password", known=known) == "no_neutral_word"
    assert reason_of("verbose.context", "password", known=known) == "no_neutral_sentence"


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_lists_are_wide_enough_and_without_repeats(language: str) -> None:
    """Fifty words of noise without a repeat; sentences that share none of them."""
    known = LANGUAGES[language]
    assert len(set(map(fold, known.neutral))) == len(known.neutral) >= 80
    assert len(known.asides) >= 10
    assert known.kept < known.function_words | known.kept
    for aside in known.asides:
        assert content_words(aside, known.function_words)
        assert "?" not in aside
    for frame in (*known.questions, known.polite, *known.negations):
        assert frame.count("{query}") == 1
    assert all("{word}" in frame for frame in known.negations)
    assert len(known.months) == 12
