"""The profile of a test set: how its queries spread over lengths, relevant documents and labels."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, Struct

from reteval.contract.testsets import Query, TestSet
from service.core.backend import Backend

MOST: Final = 20_000
"""Queries that are counted; of a larger set, the first."""
_BATCH: Final = 1_000
MANY: Final = 10
"""Relevant documents, and words, from which on they are counted as one."""


class Profile(Struct, frozen=True, kw_only=True):
    """Counts over the first `queries` of a set, variants left out.

    `relevant` and `words` count queries by their relevant documents and words, `MANY` standing
    for as many or more; `sources` and `splits` by those that are named.
    """

    queries: int
    relevant: dict[int, int]
    words: dict[int, int]
    sources: dict[str, int]
    splits: dict[str, int]


async def read_profile(backend: Backend, test_set: TestSet) -> Profile:
    """Count through the queries of a set, a batch at a time."""
    counted = _Count(test_set.relevant_from)
    for start in range(0, MOST, _BATCH):
        batch = await backend.store.test_sets.queries(
            backend.tenant, test_set.id, offset=start, limit=_BATCH
        )
        await asyncio.to_thread(counted.add, batch)
        if len(batch) < _BATCH:
            break
    return counted.show()


class _Count:
    def __init__(self, relevant_from: int) -> None:
        self._from = relevant_from
        self._relevant, self._words = Counter[int](), Counter[int]()
        self._sources, self._splits = Counter[str](), Counter[str]()
        self._queries = 0

    def add(self, queries: Sequence[Query]) -> None:
        for query in queries:
            if query.parent:
                continue
            self._queries += 1
            judged = () if query.relevant is UNSET else query.relevant
            relevant = sum(one.grade >= self._from for one in judged)
            self._relevant[min(relevant, MANY)] += 1
            self._words[min(len(query.query.split()), MANY)] += 1
            self._sources.update([query.source] if query.source else ())
            self._splits.update([query.split] if query.split else ())

    def show(self) -> Profile:
        return Profile(
            queries=self._queries,
            relevant=dict(sorted(self._relevant.items())),
            words=dict(sorted(self._words.items())),
            sources=dict(self._sources.most_common()),
            splits=dict(self._splits.most_common()),
        )
