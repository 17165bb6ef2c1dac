"""What foreign words may hold in a document that is read by more than people.

Names, labels and queries come from anywhere; in Markdown and in XML they show and do nothing.
"""

import re
from typing import Final

# Punctuation that Markdown or HTML gives a meaning; an at sign only where it would call someone.
_ACTIVE: Final = re.compile(r"[\\`*_{}\[\]<>#+!|~&$\"']|(?<![A-Za-z0-9_])@|:(?=//)|(?<=\bwww)\.")
_NOT_XML: Final = re.compile(
    "[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufdcf\\ufdf0-\\ufffd\\U00010000-\\U0010fffd]"
)


def show_printable(text: str) -> str:
    """Put anything that a terminal or a line would act on as one visible mark."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def escape_markdown(text: str) -> str:
    """Return one line of Markdown that shows the text as it is."""
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", show_printable(text))


def clean_xml(text: str) -> str:
    """Put characters that XML cannot hold as one visible mark."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
