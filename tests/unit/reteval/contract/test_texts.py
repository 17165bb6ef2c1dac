"""Foreign words in Markdown, XML and on a line."""

import pytest

from reteval.contract.texts import clean_xml, escape_markdown, show_printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, 1-2 (x)", "plain words, 1-2 (x)"),
        ("<b>|`x`|", "&#60;b&#62;&#124;&#96;x&#96;&#124;"),
        ("a@b.example @team", "a@b.example &#64;team"),
        ("https://x.example www.x.example", "https&#58;//x.example www&#46;x.example"),
        ("a\nb", "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_markdown_shows_words_as_they_are(text: str, shown: str) -> None:
    """What Markdown, HTML or a forge would act on is spelled as a character reference."""
    assert escape_markdown(text) == shown


def test_characters_that_cannot_be_shown_are_marked() -> None:
    """A line has no controls; XML has tabs and line ends, and nothing else below a blank."""
    assert (
        show_printable("a\x1b[31m\tb") == "a\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}b"
    )
    assert (
        clean_xml("a\x1b\t\nb\ufffe") == "a\N{REPLACEMENT CHARACTER}\t\nb\N{REPLACEMENT CHARACTER}"
    )
