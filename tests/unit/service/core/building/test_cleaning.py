import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.core.building.cleaning import clean


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  reset \t password\r\n", "reset password"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\u200bb\u00ad\ufeffc\x00", "abc"),
        ("e\u200b\u0301", "\u00e9"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\x00\u200b ", ""),
    ],
)
def test_text_is_what_people_see(text: str, cleaned: str) -> None:
    """White space is blanks, invisible characters go, letters are composed; joiners stay."""
    assert clean(text) == cleaned


@given(st.text())
def test_clean_text_stays_as_it_is(text: str) -> None:
    """Cleaning twice is cleaning once, and the result is composed and has no control character."""
    once = clean(text)
    assert clean(once) == once == unicodedata.normalize("NFC", once)
    assert not [char for char in once if unicodedata.category(char) == "Cc"]
