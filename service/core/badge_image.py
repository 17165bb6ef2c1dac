"""A badge as an SVG image: no script, no outside address, and a text for who cannot see it."""

import unicodedata
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from reteval.contract.badges import Badge
from reteval.contract.texts import show_printable
from service.core.badges import BAD, GOOD, PLAIN

# White text has a contrast of 4.5 to 1 or more on each of these.
_FILLS: Final = {PLAIN: "#0067b0", GOOD: "#2b7a0b", BAD: "#b3261e"}
_LABEL_FILL: Final = "#444444"
_HEIGHT: Final = 20
_CHAR: Final = 7
_PAD: Final = 6
_FONT: Final = "Verdana, 'DejaVu Sans', sans-serif"


def draw(badge: Badge) -> bytes:
    """Draw the label and the message beside each other; what they say is text and does nothing."""
    label, message = show_printable(badge.label), show_printable(badge.message)
    left, right = _width(label), _width(message)
    size = {"width": str(left + right), "height": str(_HEIGHT)}
    said = f"{label}: {message}"
    root = Element(
        "svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img", "aria-label": said}
    )
    SubElement(root, "title").text = said
    for start, width, fill, text in (
        (0, left, _LABEL_FILL, label),
        (left, right, _FILLS[badge.color], message),
    ):
        box = {"x": str(start), "width": str(width), "height": str(_HEIGHT), "fill": fill}
        SubElement(root, "rect", box)
        shape = {
            "x": str(start + _PAD),
            "y": "14",
            "textLength": str(width - 2 * _PAD),
            "lengthAdjust": "spacingAndGlyphs",
            "fill": "#ffffff",
            "font-family": _FONT,
            "font-size": "11",
        }
        SubElement(root, "text", shape).text = text
    drawn: bytes = tostring(root, encoding="utf-8")
    return drawn


def _width(text: str) -> int:
    """Return pixels that the text fits in; `textLength` makes it fill them in any font."""
    cells = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
    return _CHAR * max(cells, 1) + 2 * _PAD
