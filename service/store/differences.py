"""How two stored test sets differ: a walk over both that holds a chunk of each, and ids.

Chunks that are the same bytes at the same place hold the same queries, and are not looked into;
in others, queries that are the same bytes are not decoded. What a few changes of a large set come
to is found without looking at most of it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import UNSET

from reteval.contract.differences import Change, ChangeCounts, Changes, DiffRow, Subject
from reteval.contract.testsets import Query, TestSet, TestSetHead
from service.store.chunks import SIZE
from service.store.staging import QueryList, StoredQuery

_APART: Final = ("id", "relevant", "relevant_ids", "grades")
FIELDS: Final = tuple(name for name in Query.__struct_fields__ if name not in _APART)
"""Fields of a query that can change; its judgments are rows of their own."""
HEAD: Final = ("scale", "relevant_from", "language", "id_rule", "allow_unscorable")
"""Fields of a set that can differ between versions of a name."""


class Differences:
    """What `after` has and `before` has not, and the other way round, to be walked once."""

    def __init__(self, before: QueryList, after: QueryList) -> None:
        self._before = before
        self._after = after
        self._places: dict[str, int] = {}
        self._counts: Counter[tuple[Subject, Change]] = Counter()
        self._reordered = False
        self._last = -1

    async def rows(self) -> AsyncIterator[list[DiffRow]]:
        """Yield rows a stretch at a time, in the order of `after`, what is gone last."""
        unlike = await self._find_unlike()
        for number in unlike:
            for at, query in enumerate(await self._before.read(number), start=number * SIZE):
                self._places[query.id] = at
        passed = 0
        for number in unlike:
            self._pass_alike(passed, number)
            passed = number + 1
            queries = await self._after.read(number)
            known = await self._find_known(query.id for query in queries)
            yield await asyncio.to_thread(self._compare, queries, known)
        for number in sorted({place // SIZE for place in self._places.values()}):
            read = await self._before.read(number)
            gone = [query.decode() for query in read if query.id in self._places]
            yield self._count([row for query in gone for row in compare_queries(query, None)])

    @property
    def changes(self) -> Changes:
        """The counts of all rows that were yielded."""
        return Changes(
            queries=self._counts_of(Subject.QUERY),
            judgments=self._counts_of(Subject.JUDGMENT),
            reordered=self._reordered,
        )

    async def _find_unlike(self) -> list[int]:
        found: list[int] = []
        number = 0
        while True:
            blobs = await self._before.blob(number), await self._after.blob(number)
            if blobs == (None, None):
                return found
            if blobs[0] != blobs[1]:
                found.append(number)
            number += 1

    async def _find_known(self, query_ids: Iterable[str]) -> dict[str, StoredQuery]:
        """Return what these queries were before, each chunk read once."""
        wanted = {query_id for query_id in query_ids if query_id in self._places}
        known: dict[str, StoredQuery] = {}
        for number in sorted({self._places[query_id] // SIZE for query_id in wanted}):
            read = await self._before.read(number)
            known |= {query.id: query for query in read if query.id in wanted}
        return known

    def _compare(
        self, queries: Sequence[StoredQuery], known: dict[str, StoredQuery]
    ) -> list[DiffRow]:
        rows: list[DiffRow] = []
        for query in queries:
            before = known.get(query.id)
            if before is None:
                rows += compare_queries(None, query.decode())
                continue
            self._pass(self._places.pop(query.id))
            if before.raw != query.raw:
                rows += compare_queries(before.decode(), query.decode())
        return self._count(rows)

    def _pass_alike(self, start: int, stop: int) -> None:
        """Go past chunks that are the same in both."""
        if start < stop:
            self._pass(start * SIZE)
            self._last = stop * SIZE - 1

    def _pass(self, place: int) -> None:
        self._reordered |= place < self._last
        self._last = max(self._last, place)

    def _count(self, rows: list[DiffRow]) -> list[DiffRow]:
        self._counts.update((row.subject, row.change) for row in rows)
        return rows

    def _counts_of(self, subject: Subject) -> ChangeCounts:
        return ChangeCounts(**{change.value: self._counts[subject, change] for change in Change})


def compare_heads(before: TestSet | TestSetHead, after: TestSet | TestSetHead) -> tuple[str, ...]:
    """Return the fields, other than queries and names, in which two sets differ."""
    return tuple(name for name in HEAD if getattr(before, name) != getattr(after, name))


async def count_changes(before: QueryList, after: QueryList) -> Changes:
    """Return the counts of a difference between queries."""
    differences = Differences(before, after)
    async for _ in differences.rows():
        pass
    return differences.changes


def compare_queries(before: Query | None, after: Query | None) -> Iterator[DiffRow]:
    """Yield what became of a query and of its judgments; one of the two may be missing."""
    shown = after or before
    if shown is None:
        return
    if before is None or after is None:
        change = Change.ADDED if before is None else Change.REMOVED
        yield DiffRow(subject=Subject.QUERY, change=change, query_id=shown.id, query=shown.query)
    elif fields := tuple(name for name in FIELDS if _pick(before, name) != _pick(after, name)):
        yield DiffRow(
            subject=Subject.QUERY,
            change=Change.CHANGED,
            query_id=shown.id,
            query=shown.query,
            fields=fields,
        )
    yield from _compare_judgments(shown, _grades(before), _grades(after))


def _compare_judgments(
    query: Query, before: dict[str, int], after: dict[str, int]
) -> Iterator[DiffRow]:
    gone = (document for document in before if document not in after)
    for document in chain(after, gone):
        old, new = before.get(document), after.get(document)
        if old == new:
            continue
        change = Change.ADDED if old is None else Change.CHANGED
        yield DiffRow(
            subject=Subject.JUDGMENT,
            change=Change.REMOVED if new is None else change,
            query_id=query.id,
            query=query.query,
            document_id=document,
            before=old,
            after=new,
        )


def _pick(query: Query, name: str) -> object:
    return frozenset(query.tags) if name == "tags" else getattr(query, name)


def _grades(query: Query | None) -> dict[str, int]:
    if query is None or query.relevant is UNSET:
        return {}
    return {str(judgment.id): judgment.grade for judgment in query.relevant}
