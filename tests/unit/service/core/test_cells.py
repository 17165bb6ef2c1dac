import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.core.cells import disarm, rearm, write_rows


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "'=1"]
)
def test_formula_is_disarmed(text: str) -> None:
    """Text that a spreadsheet would execute gets a quote before it; other text none."""
    assert (disarm(text), disarm("plain -1"), disarm("'tis")) == (f"'{text}", "plain -1", "'tis")


@given(st.text(st.sampled_from("'=+-@\t\r\n a\uff0b"), max_size=6))
def test_quote_is_taken_off_exactly(text: str) -> None:
    """Reading back gives the text that was written, whatever quotes it began with."""
    assert rearm(disarm(text)) == text
    assert disarm(text)[:1] not in tuple("=+-@\t\r\n\uff0b")


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_any_text_stays_in_its_cell(texts: list[str]) -> None:
    """Line breaks, quotes and separators stay inside their cell."""
    read = list(csv.reader(io.StringIO(write_rows([text, "end"] for text in texts), newline="")))
    assert [[rearm(cell) for cell in row] for row in read] == [[text, "end"] for text in texts]


def test_numbers_stay_numbers() -> None:
    """A negative number is no formula, and what is missing is an empty cell."""
    assert write_rows([(-1, -0.5, None)]) == "-1,-0.5,\r\n"
