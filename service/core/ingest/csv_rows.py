"""Reads tables whose columns have fixed names; those of other tools are `formats`'."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from reteval.contract.problems import ProblemItem
from service.core.ingest.text import read_utf8
from service.errors import InvalidError, MalformedTextError

_DELIMITERS: Final = ",;\t"


def read_table(
    body: bytes, *, required: frozenset[str], known: frozenset[str]
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Read a header, and the rows under it with the lines on which they begin.

    Raises:
        MalformedTextError: not UTF-8, or, while rows are read, quotes that do not match.
        InvalidError: a header without a required column, or with one that is not known.
    """
    read_utf8(body, "table")  # whole at once, so that the error can name the line
    for delimiter in _DELIMITERS:
        _, cells = next(_rows(body, delimiter, strict=False), (1, []))
        names = [cell.strip().lower() for cell in cells]
        if set(names) >= required:
            if set(names) <= known and len(set(names)) == len(names):
                return names, islice(_rows(body, delimiter), 1, None)
            break
    message = (
        f"the header must name the columns {_quote(required)}, "
        f"and may name {_quote(known - required)}"
    )
    item = _misfit(1, message, "Name these columns once each and remove others.")
    raise InvalidError(f"{item.message}. {item.fix}", errors=[item])


def _quote(names: frozenset[str]) -> str:
    *most, last = (f"'{name}'" for name in sorted(names))
    return f"{', '.join(most)} and {last}" if most else last


def _rows(body: bytes, delimiter: str, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    # Decoded as it is read: a whole table as text would take up to four times its bytes.
    text = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8-sig", newline="")
    return number_rows(text, delimiter, strict=strict)


def number_rows(
    lines: Iterable[str], delimiter: str, *, strict: bool = True, where: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, and the line on which it begins.

    Raises:
        MalformedTextError: quotes that do not match; `where` says in what.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=strict)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as exc:
        raise MalformedTextError(
            f"the row that begins on line {start}{where} cannot be read: {exc}. "
            'Close each quote, and write a quote inside a quoted cell as "".'
        ) from exc


def _misfit(row: int, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer="", row=row, message=f"row {row}: {message}", fix=fix)
