"""Which letters lie beside each other on a keyboard, and what another keyboard would have typed."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

LAYOUTS: Final = {
    "qwerty": ("qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,."),
    "qwertz": ("qwertzuiopü+", "asdfghjklöä", "yxcvbnm,."),
    "azerty": ("azertyuiop^$", "qsdfghjklmù", "wxcvbn,;:"),
    "qwerty_es": ("qwertyuiop`+", "asdfghjklñ\u00b4", "zxcvbnm,."),
    "jcuken": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
}
"""Three rows each, from the same physical keys, so that layouts can be mapped on each other."""
ROW_OFFSETS: Final = (0.0, 0.25, 0.75)
"""How far each row is shifted to the right, in keys."""
REACH: Final = 1.0
_OTHERS: Final = ("qwerty", "jcuken")


def neighbours(letter: str, layout: str = "qwerty") -> tuple[str, ...]:
    """Return the letters beside this one, in its case; none for a letter on no known layout.

    An accented letter that has no key has the neighbours of the letter under the accent; a
    letter of another script those of that script's keyboard.
    """
    lower = letter.lower()
    found = next(
        (
            keys[key]
            for key in (lower, unicodedata.normalize("NFD", lower)[:1])
            for keys in map(_map_keys, dict.fromkeys((layout, *_OTHERS)))
            if key in keys
        ),
        (),
    )
    return tuple(near.upper() for near in found) if letter.isupper() else found


def retype(text: str, layout: str, other: str) -> str:
    """Return what the keys pressed for a text on one layout give on another."""
    keys = _map_layouts(layout, other)
    return "".join(
        keys.get(character.lower(), character).upper()
        if character.isupper()
        else keys.get(character, character)
        for character in text
    )


@cache
def _map_layouts(layout: str, other: str) -> Mapping[str, str]:
    rows = zip(LAYOUTS[layout], LAYOUTS[other], strict=True)
    return {ours: theirs for row in rows for ours, theirs in zip(*row, strict=True)}


@cache
def _map_keys(layout: str) -> Mapping[str, tuple[str, ...]]:
    keys = [
        (letter, row, ROW_OFFSETS[row] + column)
        for row, letters in enumerate(LAYOUTS[layout])
        for column, letter in enumerate(letters)
        if letter.isalpha()
    ]
    return {
        letter: tuple(
            other
            for other, other_row, other_x in keys
            if other != letter and abs(other_row - row) <= 1 and abs(other_x - x) <= REACH
        )
        for letter, row, x in keys
    }
