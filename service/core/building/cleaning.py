"""Texts as people type them, without what only machines see."""

import unicodedata
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Co", "Cs")
_JOINERS: Final = "\u200c\u200d"
"""Invisible, but letters of Persian and of emoji are made with them."""


def clean(text: str) -> str:
    """Compose a text (NFC), drop control and format characters, and make white space blanks."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = "".join(
        char
        for char in " ".join(text.split())
        if unicodedata.category(char) not in _UNSEEN or char in _JOINERS
    )
    return " ".join(unicodedata.normalize("NFC", kept).split())
