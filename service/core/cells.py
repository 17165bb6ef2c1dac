"""The CSV that this service writes: no cell of it is a formula to a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

Cell = str | int | float | None

_FORMULA: Final = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""How a formula starts, full-width signs included, and any such text that was disarmed before."""


def write_rows(rows: Iterable[Iterable[Cell]]) -> str:
    """Write rows as CSV; every text is disarmed, numbers stay numbers, None is an empty cell."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows(
        [disarm(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return buffer.getvalue()


def disarm(text: str) -> str:
    """Put a quote before text that a spreadsheet would execute."""
    return f"'{text}" if is_formula(text) else text


def is_formula(text: str) -> bool:
    """Tell whether a text is disarmed where it is written."""
    return _FORMULA.match(text) is not None


def rearm(text: str) -> str:
    """Take the quote off again: for every text, `rearm(disarm(text))` is the text."""
    return text[1:] if text.startswith("'") and is_formula(text) else text
