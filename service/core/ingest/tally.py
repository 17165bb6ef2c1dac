"""Counts a test set while it passes."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Final

from reteval.contract.limits import MAX_SLICES
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, TestSetHead, TestSetStats
from service.core.ingest.bulk import Plain
from service.core.ingest.located import Located
from service.core.ingest.purpose import is_scorable

MAX_DISTINCT_TAGS: Final = 1_000
"""Each tag is a slice of every report, so a set cannot have one tag a query."""


class Tally:
    """Counts of the queries so far; see `TestSetStats` for what is counted where."""

    def __init__(self, head: TestSetHead) -> None:
        self._head = head
        self._counts: Counter[str] = Counter()
        self._grades: Counter[int] = Counter()
        self._tags: Counter[str] = Counter()
        self._slices: set[str] = set()
        self._text_bytes = self._id_bytes = 0

    def add(self, query: Query, relevant: list[Judgment]) -> str:
        """Count a normalised query and name its count: how it will be used."""
        for judgment in relevant:
            self._grades[judgment.grade] += 1
            self._id_bytes += _count_bytes((str(judgment.id),))
        if query.parent:
            use = "variants"
        else:
            if query.tags:
                self._tags.update(query.tags)
            if query.expect:
                use = "expect_nothing"
            else:
                use = "scorable" if is_scorable(relevant, self._head) else "unscorable"
        self._counts[use] += 1
        self._text_bytes += _count_bytes((query.id, query.query))
        if query.tags or query.split or query.source:
            self._add_slices(query.tags, (query.split,), (query.source,))
        return use

    def has_room(self, plain: Plain) -> bool:
        """Whether queries cannot bring a distinct tag too many."""
        return len(self._tags) + len(set(plain.tags)) <= MAX_DISTINCT_TAGS

    def add_all(self, plain: Plain) -> None:
        """Count queries whose tags there is room for."""
        queries = plain.queries
        self._grades.update(chain.from_iterable(map(dict.values, plain.grades)))
        self._id_bytes += _count_bytes(chain.from_iterable(plain.grades))
        self._text_bytes += _count_bytes([query.id for query in queries])
        self._text_bytes += _count_bytes([query.query for query in queries])
        expecting = len(queries) - [query.expect for query in queries].count(None)
        self._counts["expect_nothing"] += expecting
        self._counts["scorable"] += len(queries) - expecting
        self._tags.update(plain.tags)
        self._add_slices(
            plain.tags,
            [query.split for query in queries],
            [query.source for query in queries],
        )

    def _add_slices(
        self, tags: Iterable[str], splits: Iterable[str], sources: Iterable[str]
    ) -> None:
        if len(self._slices) < MAX_SLICES:
            for kind, names in (("tag", tags), ("split", splits), ("source", sources)):
                self._slices.update(f"{kind}:{name}" for name in set(names) if name)

    def check_tags(self, item: Located) -> list[ProblemItem]:
        """A problem when the query just counted brought one distinct tag too many."""
        if len(self._tags) <= MAX_DISTINCT_TAGS:
            return []
        message = f"over {MAX_DISTINCT_TAGS:,} distinct tags in the set"
        fix = "Tag groups of queries; use 'source' or 'cluster_id' for what is nearly unique."
        return [item.problem(message, fix, part="/tags")]

    def stats(self) -> TestSetStats:
        """The counts of everything added."""
        count = self._counts
        return TestSetStats(
            queries=count.total() - count["variants"],
            scorable=count["scorable"],
            unscorable=count["unscorable"],
            expect_nothing=count["expect_nothing"],
            variants=count["variants"],
            judgments=self._grades.total(),
            grades={str(grade): self._grades[grade] for grade in sorted(self._grades)},
            tags=dict(sorted(self._tags.items())),
            text_bytes=self._text_bytes,
            id_bytes=self._id_bytes,
            slices=min(len(self._slices), MAX_SLICES),
        )


def _count_bytes(texts: Iterable[str]) -> int:
    return len("".join(texts).encode())
