"""Sums over hits that several metrics share, so that each is computed once."""

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.metrics.hits import Hits
from worker.metrics.judgments import Judgments, count_up

Values = NDArray[np.float64]
Indexes = NDArray[np.integer[Any]]


class Relevant(Struct, frozen=True, kw_only=True, eq=False):
    """Hits of grade `level` or more: `query`, `rank` and `ordinal` (from 1) are parallel.

    `all_relevant` counts those of the judgments and is at least 1, shape (n,).
    """

    level: int
    query: Indexes
    rank: Indexes
    ordinal: Indexes
    all_relevant: Indexes


class Tally:
    """Judgments, hits and what was already counted. A cut-off of None is the whole ranking."""

    def __init__(self, judgments: Judgments, hits: Hits) -> None:
        self.judgments = judgments
        self.hits = hits
        self.n = judgments.n
        self._relevant: dict[int, Relevant] = {}
        self._counts: dict[tuple[int, int | None], Indexes] = {}
        deepest = int(max(hits.rank.max(initial=0), judgments.ideal_rank.max(initial=0)))
        self._log_of_next: Values = np.log2(np.arange(1.0, deepest + 2))

    def discount(self, rank: Indexes) -> Values:
        """Return log2(rank + 1)."""
        logs: Values = self._log_of_next[rank]
        return logs

    def relevant(self, level: int | None) -> Relevant:
        """Return the hits of grade `level` (None: the test set's `relevant_from`) or more."""
        level = self.judgments.relevant_from if level is None else level
        if level not in self._relevant:
            chosen = self.hits.grade >= level
            query = self.hits.query[chosen]
            self._relevant[level] = Relevant(
                level=level,
                query=query,
                rank=self.hits.rank[chosen],
                ordinal=count_up(query, n=self.n),
                all_relevant=np.maximum(self.judgments.relevant_at(level), 1),
            )
        return self._relevant[level]

    def relevant_to(self, level: int | None, k: int | None) -> Indexes:
        """Count relevant documents in the top k, shape (n,)."""
        relevant = self.relevant(level)
        key = relevant.level, k
        if key not in self._counts:
            self._counts[key] = self.count(k, relevant.query, relevant.rank)
        return self._counts[key]

    def count(self, k: int | None, query: Indexes, rank: Indexes) -> Indexes:
        """Count entries of rank k or better for each query, shape (n,)."""
        return np.bincount(query if k is None else query[rank <= k], minlength=self.n)

    def add(self, k: int | None, query: Indexes, rank: Indexes, terms: Values) -> Values:
        """Add the terms of entries of rank k or better for each query, shape (n,)."""
        if k is not None:
            within = rank <= k
            query, terms = query[within], terms[within]
        # bincount of nothing answers integers, whatever the weights.
        return np.bincount(query, weights=terms, minlength=self.n).astype(np.float64, copy=False)
