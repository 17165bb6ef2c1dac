"""CSV tables with one judgment a row, our own and those of others; safe to open anywhere."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from reteval.contract.exports import Loss
from reteval.contract.testsets import Query, TestSet
from service.core.cells import Cell, write_rows
from service.core.exports.layout import HEAD, LABELS, File, Layout, Reading, Stretch, judgments


def write_own(stretch: Stretch) -> Iterator[bytes]:
    """Write rows of query id, text, document and grade; a query without judgments has one."""
    return _write(
        (query.id, query.query, document, grade)
        for query in stretch.queries
        for document, grade in _pairs(query)
    )


def write_quepid(stretch: Stretch) -> Iterator[bytes]:
    """Write rows of text, document and grade; a query without judgments has one."""
    return _write(
        (query.query, document, grade)
        for query in stretch.queries
        for document, grade in _pairs(query)
    )


def write_ir_measures(stretch: Stretch) -> Iterator[bytes]:
    """Write a row for each judgment, with the iteration that nobody uses."""
    return _write(
        (query.id, str(one.id), one.grade, "0")
        for query in stretch.queries
        for one in judgments(query)
    )


def _pairs(query: Query) -> list[tuple[str | None, int | None]]:
    return [(str(one.id), one.grade) for one in judgments(query)] or [(None, None)]


def _write(rows: Iterable[Iterable[Cell]]) -> Iterator[bytes]:
    yield write_rows(rows).encode()


def _table(
    columns: str, write: Callable[[Stretch], Iterator[bytes]], losses: frozenset[Loss]
) -> Layout:
    def name_columns(_: TestSet) -> bytes:
        return f"{columns}\r\n".encode()

    headed = Reading(write=write, before=name_columns)
    return Layout(
        media="text/csv",
        ending="csv",
        files=(File(readings=(headed,)),),
        losses=LABELS | HEAD | losses,
    )


CSV: Final = _table("query_id,query,docid,rating", write_own, frozenset())
QUEPID: Final = _table(
    "query,docid,rating",
    write_quepid,
    frozenset({Loss.IDS, Loss.SAME_TEXTS, Loss.FORMULAS}),
)
IR_MEASURES: Final = _table(
    "query_id,doc_id,relevance,iteration",
    write_ir_measures,
    frozenset({Loss.TEXTS, Loss.UNJUDGED, Loss.FORMULAS}),
)
