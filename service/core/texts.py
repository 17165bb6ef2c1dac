"""Rules for the short strings a client names things with: size in bytes, no control characters."""

import unicodedata

from reteval.contract.problems import ProblemItem


def check_text(text: str, *, pointer: str, max_bytes: int) -> list[ProblemItem]:
    """Return what is wrong with a name, label or value; nothing when it is fine."""
    items = []
    size = len(text.encode())
    if size > max_bytes:
        items.append(
            ProblemItem(
                pointer=pointer,
                message=f"{size} bytes of UTF-8 are more than the {max_bytes} allowed",
                fix="Shorten it.",
            )
        )
    if any(unicodedata.category(char) == "Cc" for char in text):
        items.append(
            ProblemItem(
                pointer=pointer,
                message="it holds a control character",
                fix="Remove line breaks, tabs and other control characters.",
            )
        )
    return items
