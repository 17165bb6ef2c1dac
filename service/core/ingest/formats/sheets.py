"""The reader of tables: cells of a row, whatever its columns are, become votes and queries."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from service.core.cells import rearm
from service.core.ingest.csv_rows import number_rows
from service.core.ingest.formats.chosen import read_columns
from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain
from service.core.ingest.formats.rows import Asked, Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample
from service.core.ingest.formats.tables import TABLES, Table, find_table

_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_FORMULA: Final = (" =", " +", " -", " @")
"""How Quepid, whose tables have no ids of queries, keeps spreadsheets from running a cell."""


def _no_likeness(_: Sample) -> Likeness | None:
    return None  # it is told by the option alone


def _detect(table: Table) -> Callable[[Sample], Likeness | None]:
    def detect(sample: Sample) -> Likeness | None:
        found = find_table(sample.header)
        if found is not table:
            return None
        named = [name for name in table.named if name in sample.header]
        return certain(f"its header names {', '.join(named)}")

    return detect


def read_table(table: Table, opened: Opened) -> Iterator[Row]:
    """Read the rows of a table, in any order of columns."""
    rows = read_cells(opened)
    _, header = next(rows)
    yield from read_rows(table, [cell.strip().lower() for cell in header], rows)


def read_cells(opened: Opened) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, and the line on which it begins.

    Raises:
        MalformedTextError: quotes that do not match.
    """
    with opened.file.text(opened.sample.encoding) as stream:
        where = f" of {opened.file.name}"
        yield from number_rows(stream, opened.sample.delimiter, where=where)


def read_rows(
    table: Table, names: list[str], rows: Iterator[tuple[int, list[str]]]
) -> Iterator[Row]:
    """Turn rows under these names into votes, a row of blanks into a query."""
    place = {name: at for at, name in enumerate(names)}
    raters = _rater_columns(table, names)
    texts, ids, documents = (place.get(one, -1) for one in (table.query, table.id, table.document))
    grade, need = place.get(table.grade, -1), place.get(table.need, -1)
    source = place.get(table.source, -1)
    plain = rearm if table.id in names else _unblanked
    width = len(names)
    for at, cells in rows:
        if len(cells) != width:
            fix = "Quote cells that hold the delimiter."
            yield Misfit(at, "bad_row", f"{len(cells)} cells under {width} columns", fix)
            continue
        text = plain(cells[texts]) if texts >= 0 else None
        name = rearm(cells[ids]).strip() if ids >= 0 else ""
        document = rearm(cells[documents]).strip() if documents >= 0 else ""
        wanted = cells[need] if need >= 0 else ""
        rated = bool(cells[grade].strip()) if grade >= 0 else False
        if table.many:
            origin = cells[source] if source >= 0 else ""
            yield Asked(name, text or "", at, need=wanted, source=origin)
            yield from (Vote(name, text, one, 1, at) for one in _listed(document))
        elif raters:
            for column in raters:
                yield Vote(name, text, document, cells[column], at, 0, names[column])
        elif document or rated:
            yield Vote(name, text, document, cells[grade], at, 0, "", wanted)
        else:
            yield Asked(name, text or "", at, need=wanted)


def _rater_columns(table: Table, names: list[str]) -> list[int]:
    if not table.further_raters:
        return [names.index(name) for name in table.raters]
    named = [name for name in names if name.endswith("_rating") and name != "final_rating"]
    raters = named or [name for name in names if name not in table.named]
    return [names.index(name) for name in raters]


def _unblanked(cell: str) -> str:
    return cell[1:] if cell.startswith(_FORMULA) else rearm(cell)


def _listed(cell: str) -> list[str]:
    found = [one or other for one, other in _QUOTED.findall(cell)]
    return found or [part for part in re.split(r"[\s,;|\[\]]+", cell) if part]


def _choose(opened: Opened, header: list[str]) -> Table:
    chosen = read_columns(opened.options.columns, header)
    names = {role: columns[0] for role, columns in chosen.items()}
    return Table(
        name="columns",
        holds=Holds.BOTH,
        about="",
        example="",
        query=names.get("query", ""),
        id=names.get("query_id", ""),
        document=names.get("docid", ""),
        grade=names.get("rating", ""),
        need=names.get("information_need", ""),
        raters=tuple(chosen.get("rater", ())),
    )


def _read_chosen(opened: Opened) -> Iterator[Row]:
    rows = read_cells(opened)
    _, header = next(rows, (1, []))
    yield from read_rows(_choose(opened, header), [one.strip().lower() for one in header], rows)


def _format(table: Table) -> Format:
    return Format(
        name=table.name,
        holds=table.holds,
        about=table.about,
        example=table.example,
        detect=_detect(table),
        read=partial(read_table, table),
    )


FORMATS: Final = (
    *map(_format, TABLES),
    Format(
        name="columns",
        holds=Holds.BOTH,
        about="any other table, as spreadsheets save it, with columns=query:Query Text,docid:Doc "
        "ID,rating:Rating",
        example="Doc ID;Query Text;Rating\ndoc7;red shoes;2",
        detect=_no_likeness,
        read=_read_chosen,
    ),
)
