import subprocess
import sys

import pytest

from tests.unit.worker.adversarial.subjects import (
    ENGLISH,
    NO_WORDS,
    of_language,
    reason_of,
    text_of,
    texts_of,
)
from worker.adversarial.misspelling import parse_attested, read_attested
from worker.adversarial.vocabulary import Vocabulary

ATTESTED = Vocabulary.build(
    [], language="en", misspellings={"password": ("pasword", "passwrod"), "form": ("from",)}
)


def test_attested_misspellings_come_from_the_list_in_the_words_case() -> None:
    """Each of the list's, and nothing else."""
    assert texts_of("misspelling.attested", "reset Password", known=ATTESTED) == {
        "reset Pasword",
        "reset Passwrod",
    }
    assert text_of("misspelling.attested", "PASSWORD", known=ATTESTED).isupper()


def test_an_attested_misspelling_that_is_a_word_is_not_used() -> None:
    """Typing from for form is another kind; without a listed word there is no variant."""
    for text in ("form", "invoice"):
        reason = reason_of("misspelling.attested", text, known=ATTESTED)
        assert reason == "no_attested_misspelling"


def test_attested_misspellings_need_their_list_and_its_language() -> None:
    """The list is English; where it is not installed the reason says that data is missing."""
    assert reason_of("misspelling.attested", "password", known=ENGLISH) == "data_missing"
    assert reason_of("misspelling.attested", "Passwort", known=of_language("de")) == "language"


def test_a_list_is_turned_around() -> None:
    """Several corrections, several words and odd lines are left out."""
    lines = "pasword->password\nPassWrod->password\naas->ass, as,\nalot->a lot\n\n1st->first\n"
    assert parse_attested(lines) == {"password": ("pasword", "passwrod")}


@pytest.mark.parametrize("installed", [True, False])
def test_the_list_is_read_from_the_package_or_missing(installed: bool, tmp_path: object) -> None:  # noqa: FBT001
    """It is data of an installed distribution: found by its metadata, never imported."""
    folder = f"{tmp_path}/site"
    program = (
        "import pathlib, sys\n"
        f"site = pathlib.Path({folder!r})\n"
        "data = site / 'codespell_lib' / 'data'\n"
        "info = site / 'codespell-9.0.dist-info'\n"
        "data.mkdir(parents=True); info.mkdir()\n"
        "(data.parent / '__init__.py').write_text('raise SystemExit(3)')\n"
        "(data / 'dictionary.txt').write_text('pasword->password\\n')\n"
        "(info / 'METADATA').write_text('Name: codespell\\nVersion: 9.0\\n')\n"
        f"{'sys.path.insert(0, str(site))' if installed else 'pass'}\n"
        "from worker.adversarial.misspelling import read_attested\n"
        "print(read_attested())\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    found = ended.stdout.decode().strip()
    assert found == ("{'password': ('pasword',)}" if installed else str(read_attested()))


def test_words_are_spelled_as_they_sound() -> None:
    """One rule at one place, never at the first letter, in the word's case."""
    assert texts_of("misspelling.phonetic", "tough", known=NO_WORDS) == {"tugh"}
    assert "nashun" in texts_of("misspelling.phonetic", "nation")
    assert "RECEPT" not in texts_of("misspelling.phonetic", "RECEIPT")
    assert "RECIEPT" in texts_of("misspelling.phonetic", "RECEIPT")
    assert all(text.startswith("ph") for text in texts_of("misspelling.phonetic", "photograph"))
    assert reason_of("misspelling.phonetic", "bulb jump") == "no_rule"
    assert reason_of("misspelling.phonetic", "finestra", known=of_language("it")) == "language"


@pytest.mark.parametrize(
    ("language", "word", "heard"),
    [
        ("de", "spiegel", "spigel"),
        ("fr", "bateau", "bato"),
        ("es", "cabeza", "cabesa"),
        ("ru", "\u0433\u043e\u0440\u043e\u0434", "\u0433\u043e\u0440\u043e\u0442"),
    ],
)
def test_every_language_has_its_own_sounds(language: str, word: str, heard: str) -> None:
    """Known confusions of its writers."""
    assert heard in texts_of("misspelling.phonetic", word, known=of_language(language))


def test_a_word_that_grows_in_small_letters_is_left_alone() -> None:
    """Offsets would not fit."""
    assert reason_of("misspelling.phonetic", "\u0130STANBULL") == "no_rule"


def test_a_real_word_is_one_slip_from_another_stem() -> None:
    """Form becomes from; a plural would be another form of the same word."""
    texts = texts_of("typo.real_word", "form")
    assert "from" in texts
    assert "forms" not in texts
    assert all(ENGLISH.is_word(text) for text in texts)


def test_a_real_word_needs_a_list_and_a_near_word() -> None:
    """Neither an unlisted language nor a word far from all others gives one."""
    assert reason_of("typo.real_word", "password", known=NO_WORDS) == "language"
    assert reason_of("typo.real_word", "the of") == "no_content_word"
    assert reason_of("typo.real_word", "bibliographical") == "no_real_word"
