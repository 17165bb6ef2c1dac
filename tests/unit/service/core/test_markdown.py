"""Text in Markdown."""

import pytest

from service.core.markdown import escape


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a plain name", "a plain name"),
        ("a|b\n<i>", "a&#124;b\N{REPLACEMENT CHARACTER}&#60;i&#62;"),
        ("me@host @you", "me@host &#64;you"),
        ("http://x www.x", "http&#58;//x www&#46;x"),
    ],
)
def test_text_does_nothing(text: str, written: str) -> None:
    """What Markdown, HTML or a forge would act on is spelled out."""
    assert escape(text) == written
