"""The form of API keys, share tokens and sessions: prefix, id, secret and checksum.

The prefix lets scanners find one that leaked, the checksum shows a typo without asking anybody.
"""

import re
import zlib
from typing import Final

from msgspec import Struct

KEY: Final = "reteval"
SHARE: Final = "share"
SESSION: Final = "session"
"""Prefixes: of an API key, of a token that opens one run for reading, of a person's session."""
ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_CHARS: Final = 22
SECRET_CHARS: Final = 43
"""62^43 is above 2^256."""
_SUM_CHARS: Final = 6
_FORM: Final = re.compile(
    rf"(?P<body>(?P<prefix>{KEY}|{SHARE}|{SESSION})_(?P<id>[0-9A-Za-z]{{{ID_CHARS}}})"
    rf"_[0-9A-Za-z]{{{SECRET_CHARS}}})_(?P<sum>[0-9A-Za-z]{{{_SUM_CHARS}}})"
)


class Token(Struct, frozen=True):
    """An intact token: what it is for, and the id that stands in it."""

    prefix: str
    id: str


def spell_token(prefix: str, token_id: str, secret: str) -> str:
    """Write a token of its parts."""
    body = f"{prefix}_{token_id}_{secret}"
    return f"{body}_{_checksum(body)}"


def read_token(text: str) -> Token | None:
    """Return what a text is a token of; None where its form or its checksum is wrong."""
    match = _FORM.fullmatch(text)
    if match is None or _checksum(match["body"]) != match["sum"]:
        return None
    return Token(match["prefix"], match["id"])


def holds_token(text: str) -> bool:
    """Tell whether something that looks like a token stands anywhere in a text."""
    return _FORM.search(text) is not None


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_SUM_CHARS):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits
