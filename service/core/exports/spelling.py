"""How ids and texts are spelt in files whose columns end at white space."""

import re
from typing import Final

_EMPTY: Final = "%"
"""How an empty id is written; no other id is written so, since `%` itself becomes `%25`."""
_BREAKING: Final = re.compile(r"[%\s\x00-\x1f\x7f-\x9f]")
_CHANGED: Final = re.compile(rf"{_BREAKING.pattern}|~dup")


def encode_id(text: str) -> str:
    """Percent-encode what would break a column, so that distinct ids stay distinct."""
    if not text:
        return _EMPTY
    return _BREAKING.sub(_encode_char, text).replace("~dup", "%7Edup")


def is_breaking(text: str) -> bool:
    """Tell whether an id is written otherwise than it is."""
    return not text or _CHANGED.search(text) is not None


def flatten(text: str) -> str:
    """Bring a text on one line: each stretch of white space becomes one blank."""
    return " ".join(text.split())


def _encode_char(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
