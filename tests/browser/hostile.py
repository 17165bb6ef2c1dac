"""Texts that would do something if a page took them for more than text."""

import os
from typing import Final

MARK: Final = "data-taken"
"""An attribute that no page of ours has: an element with it came out of a text."""
HOSTILE: Final = (
    f"<b {MARK}>bold</b>",
    f'"><img src=x {MARK} onerror="document.title=1">',
    f"</title></script></style><svg {MARK} onload=document.title=1>",
    f"' {MARK} onfocus='document.title=1' autofocus='",
    "{{ 7 * 7 }} ${7 * 7} <%= 7 * 7 %>",
    "javascript:document.title=1",
    "&lt;i&gt; &amp;amp; \N{RIGHT-TO-LEFT OVERRIDE}gnp.exe\N{POP DIRECTIONAL FORMATTING}",
    "=HYPERLINK('x') \N{ZERO WIDTH SPACE}",
)
PLAIN: Final = (
    "today",
    "outside",
    "at night",
    "in winter",
    "abroad",
    "offline",
    "by hand",
    "twice",
)
TEXTS: Final = PLAIN if os.environ.get("RETEVAL_PLAIN_TEXTS") else HOSTILE
"""What stands in every field: something plain only where pictures are taken to be shown."""
