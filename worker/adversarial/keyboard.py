"""Which letters lie beside each other on a keyboard, from the geometry of its rows."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

LAYOUTS: Final = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
)
ROW_OFFSETS: Final = (0.0, 0.25, 0.75)
"""How far each row is shifted to the right, in keys."""
REACH: Final = 1.0


def neighbours(letter: str) -> tuple[str, ...]:
    """Return the letters beside this one, in its case; none for a letter on no known layout.

    An accented letter has the neighbours of the letter under the accent.
    """
    lower = letter.lower()
    base = lower if lower in _map_keys() else unicodedata.normalize("NFD", lower)[:1]
    found = _map_keys().get(base, ())
    return tuple(near.upper() for near in found) if letter.isupper() else found


@cache
def _map_keys() -> Mapping[str, tuple[str, ...]]:
    keys = [
        (letter, layout, row, ROW_OFFSETS[row] + column)
        for layout, rows in enumerate(LAYOUTS)
        for row, letters in enumerate(rows)
        for column, letter in enumerate(letters)
    ]
    return {
        letter: tuple(
            other
            for other, other_layout, other_row, other_x in keys
            if other != letter
            and other_layout == layout
            and abs(other_row - row) <= 1
            and abs(other_x - x) <= REACH
        )
        for letter, layout, row, x in keys
    }
