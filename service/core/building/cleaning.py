"""Texts as people type them, without what only machines see."""

import unicodedata
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Co", "Cs")
_JOINERS: Final = "\u200c\u200d"
"""Invisible, but letters of Persian and of emoji are made with them."""


def clean(text: str) -> str:
    """Compose a text (NFC), drop control and format characters, and make white space blanks."""
    plain = " ".join(text.split())
    if not plain.isprintable():
        seen = (
            char for char in plain if unicodedata.category(char) not in _UNSEEN or char in _JOINERS
        )
        plain = " ".join("".join(seen).split())
    return unicodedata.normalize("NFC", plain)
