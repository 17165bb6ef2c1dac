"""Text of an endpoint made fit to be stored: no secret of ours, no control character, short."""

import re
from collections.abc import Mapping
from typing import Final

_MAX_CHARS: Final = 200
_MAX_READ: Final = 4_096
_MIN_SECRET: Final = 4
"""Shorter values would blot out ordinary text."""
_OPEN: Final = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_UNPRINTABLE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_USERINFO: Final = re.compile(r"//[^/@\s]*@")


class Scrubber:
    """Takes the values of an endpoint's headers, and their words, out of any text."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        values = [value for name, value in headers.items() if name.lower() not in _OPEN]
        words = {word for value in values for word in (value, *value.split())}
        secrets = sorted((w for w in words if len(w) >= _MIN_SECRET), key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, secrets))) if secrets else None

    def clean(self, text: str, *, most: int = _MAX_CHARS) -> str:
        """Return at most 200 (or `most`) characters of `text`, safe to store and to show."""
        text = _UNPRINTABLE.sub(" ", self.mask(text)).strip()
        return text if len(text) <= most else f"{text[: most - 1]}…"

    def mask(self, text: str) -> str:
        """Return `text` as it is but for the secrets."""
        return text if self._secrets is None else self._secrets.sub("***", text)

    def excerpt(self, body: bytes) -> str:
        """Return the beginning of a body as safe text."""
        return self.clean(body[:_MAX_READ].decode(errors="replace"))

    def clean_location(self, location: str) -> str:
        """Return where a redirect leads, without user, password and query."""
        return self.clean(_USERINFO.sub("//", location.partition("?")[0].partition("#")[0]))
