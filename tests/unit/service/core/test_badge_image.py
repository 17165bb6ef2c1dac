"""The image of a badge: what it says, and what hostile words cannot do in it."""

from xml.etree import ElementTree as ET

import pytest

from reteval.contract.badges import Badge
from service.core.badge_image import draw

SVG = "{http://www.w3.org/2000/svg}"


def read(badge: Badge) -> ET.Element:
    """Parse an image."""
    return ET.fromstring(draw(badge))  # noqa: S314 - drawn by ourselves


def test_image_says_label_and_message_to_eyes_and_ears() -> None:
    """Both halves hold their text, and a title says all of it."""
    root = read(Badge(label="mrr", message="0.250 (n=2)", color="blue"))
    assert [element.text for element in root.iter(f"{SVG}text")] == ["mrr", "0.250 (n=2)"]
    assert root.findtext(f"{SVG}title") == root.get("aria-label") == "mrr: 0.250 (n=2)"
    boxes = list(root.iter(f"{SVG}rect"))
    assert sum(int(box.get("width", "0")) for box in boxes) == int(root.get("width", "0"))


@pytest.mark.parametrize(
    "words", ["<script>alert(1)</script>", '"><g onload="x()">', "]]>&amp;", "a\x00b\x1bc\u202ed"]
)
def test_hostile_words_are_text(words: str) -> None:
    """Whatever stands in a title, the image has the same elements, and parses."""
    root = read(Badge(label=words, message="x", color="red"))
    assert [element.tag for element in root.iter()] == [
        f"{SVG}{name}" for name in ("svg", "title", "rect", "text", "rect", "text")
    ]
    shown = next(root.iter(f"{SVG}text")).text
    assert shown == "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)


def test_wide_characters_have_room() -> None:
    """A title in an East Asian script is given two cells a character."""
    narrow, wide = (read(Badge(label=text, message="x", color="blue")) for text in ("abcd", "検索"))
    assert narrow.get("width") == wide.get("width")
