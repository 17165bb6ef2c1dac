"""Queries and how they look in a file of a format, without a store."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from reteval.contract.exports import DEFAULT_INDEX, ExportFormat, Loss
from reteval.contract.testsets import Judgment, Query, TestSet
from service.core.exports.layout import ZIP
from service.core.exports.losses import find_losses
from service.core.exports.registry import LAYOUTS
from service.core.exports.streaming import Source, stream_archive, stream_file
from tests.factories import draft

ODD: tuple[Query, ...] = (
    Query(
        id="q 1",
        query='say "no",\n=1+1',
        relevant=[Judgment("a", 3), Judgment("b c", 1), Judgment("-d%", 2)],
        tags=["faq"],
        fields={"year": 2026},
    ),
    Query(id="é2", query="=1+1", relevant=[Judgment("a", -1), Judgment('"e"', 2)]),
    Query(id="3", query="nothing judged", relevant=[]),
    Query(id="4", query="last\tone", relevant=[Judgment("\u65e5\u672c", 1)], split="holdout"),
)
QRELS = {query.id: {str(one.id): one.grade for one in query.relevant or ()} for query in ODD}
JUDGED = {name: grades for name, grades in QRELS.items() if grades}


def a_set(queries: Sequence[Query], **changes: Any) -> TestSet:
    """Return the head of a set of queries."""
    made = draft(queries, name="docs")
    fields = {name: getattr(made, name) for name in made.__struct_fields__}
    return TestSet(
        id="ts_1", version=2, created_at="2026-11-30T00:00:00.000Z", **(fields | changes)
    )


def in_chunks(queries: Sequence[Query], size: int) -> AsyncIterator[list[Query]]:
    """Yield queries as the store does, a few at a time."""

    async def chunks() -> AsyncIterator[list[Query]]:
        for start in range(0, len(queries), size):
            yield list(queries[start : start + size])

    return chunks()


def write(
    form: ExportFormat,
    queries: Sequence[Query] = ODD,
    *,
    size: int = 1,
    lost: Sequence[Loss] = (),
    **changes: Any,
) -> bytes:
    """Write a set in a format; of a format with one file, that file."""
    source = Source(
        test_set=a_set(queries, **changes),
        index=DEFAULT_INDEX,
        read=lambda: in_chunks(queries, size),
    )
    layout = LAYOUTS[form]
    archived = layout.ending == ZIP
    stream = (
        stream_archive(source, layout, lost) if archived else stream_file(source, layout.files[0])
    )

    async def collect() -> bytes:
        return b"".join([block async for block in stream])

    return asyncio.run(collect())


def write_json(form: ExportFormat, queries: Sequence[Query] = ODD, **changes: Any) -> Any:
    """Write a set in a format that is one JSON document, and read it."""
    return msgspec.json.decode(write(form, queries, **changes))


def lost(form: ExportFormat, *queries: Query, **changes: Any) -> tuple[Loss, ...]:
    """Return what of a set is lost in a format."""
    wanted = LAYOUTS[form].losses
    return asyncio.run(find_losses(a_set(queries, **changes), wanted, in_chunks(queries, 1)))
