import unicodedata

import pytest

from tests.unit.worker.adversarial.subjects import reason_of, text_of, texts_of
from worker.adversarial.appearance import LATIN_TO_LOOKALIKE, LOOKALIKES, UNSEEN


@pytest.mark.parametrize(("severity", "share"), [(1, 0.05), (2, 0.1), (3, 0.3)])
def test_letters_are_misread_as_often_as_the_severity_says(severity: int, share: float) -> None:
    """One at least; the share of a long text comes close."""
    assert text_of("ocr", "om", severity) in {"0m", "orn", "0rn"}
    query = "o" * 4_000
    hit = text_of("ocr", query, severity, seed=3).count("0") / len(query)
    assert hit == pytest.approx(share, abs=0.02)


def test_nothing_to_misread() -> None:
    """Digits and other scripts have no shapes here."""
    assert reason_of("ocr", "123 \u6771\u4eac") == "no_letter_to_misread"


def test_look_alikes_are_letters_of_another_script() -> None:
    """Each pair goes both ways, and is a letter of the same case."""
    assert len(LOOKALIKES) == 2 * len(LATIN_TO_LOOKALIKE)
    for one, other in LOOKALIKES.items():
        assert unicodedata.name(one).split()[0] != unicodedata.name(other).split()[0]
        assert one.isupper() is other.isupper()


def test_one_letter_a_word_becomes_its_double() -> None:
    """One word, or every word, one letter each; Cyrillic becomes Latin."""
    query = "open space"
    for severity, changed in ((1, 1), (3, 2)):
        text = text_of("homoglyph", query, severity)
        assert sum(one != two for one, two in zip(query, text, strict=True)) == changed
        assert "".join(LOOKALIKES.get(each, each) for each in text) != text
    assert text_of("homoglyph", "\u0433\u043e\u0434\u044b") == "\u0433o\u0434\u044b"
    assert reason_of("homoglyph", "Wulff") == "no_letter_to_replace"


def test_what_cannot_be_seen_is_inside_a_word() -> None:
    """Without it the query is as it was; a space may become one that does not break."""
    texts = texts_of("invisible", "reset password")
    assert {sign for text in texts for sign in text} - set("reset password") == {
        *UNSEEN,
        "\u00a0",
    }
    for text in texts:
        bare = text.translate(dict.fromkeys(map(ord, UNSEEN))).replace("\u00a0", " ")
        assert bare == "reset password"
        assert all(word[:1].isalpha() and word[-1:].isalpha() for word in text.split())


def test_every_word_may_hide_something() -> None:
    """At severity 3 each content word has one; spaces stay."""
    for text in texts_of("invisible", "reset password", 3):
        assert all(
            len(word) == length for word, length in zip(text.split(" "), (6, 9), strict=True)
        )


def test_a_script_without_words_hides_it_between_letters() -> None:
    """Japanese has no words here, but letters side by side; a single letter has no inside."""
    texts = texts_of("invisible", "\u6771\u4eac\u306e")
    assert {text.translate(dict.fromkeys(map(ord, UNSEEN))) for text in texts} == {
        "\u6771\u4eac\u306e"
    }
    assert reason_of("invisible", "\u6771") == "no_content_word"
    assert reason_of("invisible", "\u6771\u4eac", 3) == "no_content_word"


def test_accents_are_left_out_where_people_leave_them_out() -> None:
    """Marks and ligatures of Latin, marks of Greek; a Cyrillic short i is a letter of its own."""
    for query, bare in (
        ("Ma\u00f1ana caf\u00e9", "Manana cafe"),
        ("cafe\u0301", "cafe"),
        ("Stra\u00dfe s\u0153ur \u0141\u00f3d\u017a", "Strasse soeur Lodz"),
        ("\u03b1\u03b8\u03ae\u03bd\u03b1", "\u03b1\u03b8\u03b7\u03bd\u03b1"),
        ("\u0451\u043b\u043a\u0438\u0439", "\u0435\u043b\u043a\u0438\u0439"),
    ):
        assert text_of("diacritics.strip", query) == bare
    assert reason_of("diacritics.strip", "cafe") == "no_diacritic"


def test_an_accent_is_added_to_a_vowel() -> None:
    """Of one word or of every word; a word without vowels of ours has no place."""
    text = text_of("diacritics.add", "reset password", 3)
    assert text_of("diacritics.strip", text) == "reset password"
    assert [word.isascii() for word in text.split()] == [False, False]
    assert reason_of("diacritics.add", "rhythm") == "no_vowel"
