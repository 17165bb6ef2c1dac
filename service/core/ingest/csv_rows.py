"""Reads a test set from a table with one judgment a row: `query,docid,rating`."""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Final

from reteval.contract.problems import ProblemItem
from service.core.cells import rearm
from service.core.ingest.grouped import Grouped
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.text import read_grade, read_utf8
from service.errors import InvalidError, MalformedTextError

_REQUIRED: Final = frozenset({"query", "docid", "rating"})
_COLUMNS: Final = _REQUIRED | {"query_id"}
_DELIMITERS: Final = ",;\t"


def read_csv(body: bytes) -> Iterator[Located]:
    """Read rows in any order of columns (`query_id` optional), split by comma, semicolon or tab.

    Rows are grouped by `query_id` where there is one, else by the exact text, in order of first
    appearance. White space around ids and ratings is dropped, never in the query. A row with
    neither `docid` nor `rating` names a query without judgments. Rows are numbered by the line
    on which they begin. The quote that our own tables put before what looks like a formula is
    taken off again.

    Raises:
        MalformedTextError: not UTF-8, or quotes that do not match.
        InvalidError: a header or rows that do not fit.
    """
    names, table = read_table(body, required=_REQUIRED, known=_COLUMNS)
    problems = Problems()
    groups: dict[tuple[bool, str], Grouped] = {}
    for row, cells in table:
        problems.add(_misfits(names, cells, row, groups))
        if problems.full:
            break
    problems.settle()
    for group in groups.values():
        yield group.locate()


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
    reader = csv.reader(text, delimiter=delimiter, strict=strict)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as exc:
        raise MalformedTextError(
            f"the row that begins on line {start} cannot be read: {exc}. "
            'Close each quote, and write a quote inside a quoted cell as "".'
        ) from exc


def _misfits(
    names: list[str], cells: list[str], row: int, groups: dict[tuple[bool, str], Grouped]
) -> Iterator[ProblemItem]:
    # Puts the row into its group, or tells why it fits nowhere.
    if len(cells) != len(names):
        fix = "Quote cells that hold the delimiter."
        yield _misfit(row, f"{len(cells)} cells under {len(names)} columns", fix)
        return
    named = dict(zip(names, map(rearm, cells), strict=True))
    text, given = named["query"], named.get("query_id", "").strip()
    key = (bool(given), given or text)
    group = groups.get(key)
    if group is None:
        group = groups[key] = Grouped(given, text, row)
    if group.text != text:
        message = f"query_id {given[:200]!r} has another text than in row {group.row}"
        yield _misfit(row, message, "Give each query_id one text.")
        return
    document, rating = named["docid"].strip(), named["rating"].strip()
    if not document and not rating:
        return
    grade = read_grade(rating)
    if grade is None or not document:
        message = f"docid {document[:200]!r} with rating {rating[:200]!r} is no judgment"
        yield _misfit(row, message, "Give a docid and a whole number; drop rows nobody rated.")
        return
    group.add(document, grade, row)


def _misfit(row: int, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer="", row=row, message=f"row {row}: {message}", fix=fix)
