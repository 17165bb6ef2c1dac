"""What of a text is compared."""

import pytest

from worker.diagnosis.leakage.wording import find_numbers, normalise, sort_words


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  How do I reset\tmy PASSWORD?! ", "how do i reset my password"),
        ("\uff46\uff55ll\u3000width", "full width"),
        ("Straße", "strasse"),
        ("naïve café", "naïve café"),
        ("learn C++", "learn c++"),
        ("C# or F#?", "c# or f#"),
        ("# heading + more", "heading more"),
        ("soft\u00adhyphen", "softhyphen"),
        ("किताब", "किताब"),
        ("3.5 vs 35", "3 5 vs 35"),
        ("???", "???"),
        ("👍 👍", "👍 👍"),
        ("\u00ad", "\u00ad"),
    ],
)
def test_a_text_becomes_its_words(text: str, normal: str) -> None:
    """Case, width, punctuation and spaces go; letters, marks, digits and what names things stay."""
    assert normalise(text) == normal


def test_words_have_one_order() -> None:
    """Texts of the same words, counted, have one sorted form."""
    assert sort_words("b a b") == sort_words("b b a") != sort_words("a b")


@pytest.mark.parametrize(
    ("normal", "numbers"),
    [
        ("error code e1042", ("e1042",)),
        ("iphone 12 and iphone 13", ("12", "13")),
        ("no digits", ()),
        ("١٢ months", ("١٢",)),
    ],
)
def test_words_with_digits_are_found(normal: str, numbers: tuple[str, ...]) -> None:
    """Whatever the script of the digits."""
    assert find_numbers(normal) == numbers
