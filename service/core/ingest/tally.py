"""Counts a test set while it passes."""

from collections import Counter
from typing import Final

from reteval.contract.limits import MAX_SLICES
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, TestSetHead, TestSetStats
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
            self._id_bytes += len(str(judgment.id).encode())
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
        self._text_bytes += len(query.id.encode()) + len(query.query.encode())
        if (query.tags or query.split or query.source) and len(self._slices) < MAX_SLICES:
            self._add_slices(query)
        return use

    def _add_slices(self, query: Query) -> None:
        self._slices.update(f"tag:{tag}" for tag in query.tags)
        if query.split:
            self._slices.add(f"split:{query.split}")
        if query.source:
            self._slices.add(f"source:{query.source}")

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
