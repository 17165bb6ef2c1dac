"""Rows with named cells, out of tables, JSON lines and plain lines, read from a file."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.problems import ProblemItem
from service.core.ingest.shape import BOM
from service.errors import InvalidError, MalformedTextError

_DELIMITERS: Final = ",;\t"
_TORN: Final = "\ufffd"
"""Stands where bytes were no UTF-8."""
_NESTED: Final = "_source"
"""Where dumps of search engines keep a record."""
LINE: Final = "query"
"""The name of the one cell of a plain line."""

Cells = Mapping[str, Any]


class Row(Struct, frozen=True):
    """A row by the line it begins on; without cells where it cannot be read."""

    number: int
    cells: Cells | None


def read_table(file: IO[bytes], *, required: tuple[str, ...]) -> Iterator[Row]:
    """Read CSV under a header, split by comma, semicolon or tab; names in lower case.

    Raises:
        MalformedTextError: quotes that do not match.
        InvalidError: the header names none of `required`.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
    first = text.readline()
    delimiter = max(_DELIMITERS, key=first.count)
    number = 1
    try:
        head = next(csv.reader([first], delimiter=delimiter, strict=True), [])
        names = [name.strip().lower() for name in head]
        if not set(names) & set(required):
            raise _headless(required)
        number += 1
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        for cells in reader:
            if cells:
                yield Row(number, _name(names, cells))
            number = reader.line_num + 2
    except csv.Error as exc:
        raise MalformedTextError(
            f"the row that begins on line {number} cannot be read: {exc}. Close each quote."
        ) from exc


def read_objects(file: IO[bytes]) -> Iterator[Row]:
    """Read a JSON object a line, or what stands in its `_source`; names in lower case."""
    decoder = msgspec.json.Decoder(dict[str, Any])
    for number, line in enumerate(file, start=1):
        if line.strip():
            try:
                found = decoder.decode(line.removeprefix(BOM))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                yield Row(number, None)
                continue
            nested = found.get(_NESTED)
            cells = nested if isinstance(nested, dict) else found
            yield Row(number, {name.lower(): value for name, value in cells.items()})


def read_lines(file: IO[bytes]) -> Iterator[Row]:
    """Read each line as a cell of its own."""
    for number, line in enumerate(file, start=1):
        text = line.removeprefix(BOM).decode(errors="replace")
        yield Row(number, None if _TORN in text else {LINE: text})


def find_cell(cells: Cells, names: tuple[str, ...]) -> Any:
    """Return the first of these cells that is there, whatever is in it; else None."""
    return next((cells[name] for name in names if name in cells), None)


def _name(names: list[str], cells: list[str]) -> Cells | None:
    if len(cells) != len(names) or any(_TORN in cell for cell in cells):
        return None
    return dict(zip(names, cells, strict=True))


def _headless(required: tuple[str, ...]) -> InvalidError:
    wanted = " or ".join(map(repr, required))
    item = ProblemItem(
        pointer="",
        row=1,
        message=f"row 1: the header names no column {wanted}",
        fix="Name the columns in the first row.",
    )
    return InvalidError(f"{item.message}. {item.fix}", errors=[item])
