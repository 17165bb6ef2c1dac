"""Text in Markdown: whatever it holds, it shows as it is and does nothing."""

import re
from typing import Final

# Punctuation that Markdown or HTML gives a meaning; an at sign only where it would call someone.
_ACTIVE: Final = re.compile(r"[\\`*_{}\[\]<>#+!|~&$\"']|(?<![A-Za-z0-9_])@|:(?=//)|(?<=\bwww)\.")


def escape(text: str) -> str:
    """Write a text so that none of it is Markdown or HTML, on one line."""
    flat = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", flat)
