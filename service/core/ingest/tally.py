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
        self._grades.update(judgment.grade for judgment in relevant)
        if query.parent:
            use = "variants"
        else:
            self._tags.update(query.tags)
            if query.expect:
                use = "expect_nothing"
            else:
                use = "scorable" if is_scorable(relevant, self._head) else "unscorable"
        self._counts[use] += 1
        self._text_bytes += len(query.id.encode()) + len(query.query.encode())
        self._id_bytes += sum(len(str(judgment.id).encode()) for judgment in relevant)
        if len(self._slices) < MAX_SLICES:
            self._slices.update(f"tag:{tag}" for tag in query.tags)
            self._slices.update((f"split:{query.split}", f"source:{query.source}"))
            self._slices -= {"split:", "source:"}
        return use

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
