"""Counts a test set while it passes."""

from collections import Counter
from typing import Final

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
        )
