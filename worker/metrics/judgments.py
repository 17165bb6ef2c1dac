"""Judgments of the scored queries as arrays, built once a run and kept; knows no ranking."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final, Self

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from reteval.contract.testsets import Query, Scale

DEFAULT_SCALE_MAX: Final = Scale().max
_ID = attrgetter("id")
_GRADE = attrgetter("grade")


class Judgments(Struct, frozen=True, kw_only=True, eq=False):
    """What the test set says about each query; n queries in the order given to `build`.

    `grades` holds one dictionary a query, document id to grade, negative grades included.
    `relevant` counts grades of `relevant_from` or more, `zeros` grades of 0, shape (n,). The
    positive grades stand best first within each query, one entry a document: `ideal_query`
    (index of the query), `ideal_rank` (from 1) and `ideal_grade` are parallel. `scale_max` is
    the highest grade of the test set's scale, whether any document has it or not.
    """

    query_ids: tuple[str, ...]
    relevant_from: int
    scale_max: int
    grades: tuple[dict[str, int], ...]
    relevant: NDArray[np.int64]
    zeros: NDArray[np.int64]
    ideal_query: NDArray[np.int32]
    ideal_rank: NDArray[np.int32]
    ideal_grade: NDArray[np.int16]

    @classmethod
    def build(
        cls,
        queries: Sequence[Query],
        *,
        relevant_from: int,
        scale_max: int = DEFAULT_SCALE_MAX,
    ) -> Self:
        """Index normalised queries: judgments as `relevant`, each document once a query.

        Raises:
            ValueError: as `index`.
        """
        return cls.index(
            tuple(map(_ID, queries)),
            tuple(map(_grade_by_id, queries)),
            relevant_from=relevant_from,
            scale_max=scale_max,
        )

    @classmethod
    def index(
        cls,
        query_ids: Sequence[str],
        grades: Sequence[dict[str, int]],
        *,
        relevant_from: int,
        scale_max: int = DEFAULT_SCALE_MAX,
    ) -> Self:
        """Index one dictionary of grades a query; they are kept, not copied.

        Raises:
            ValueError: `relevant_from` below 1 (a grade of 0 would then be relevant, and the
                ideal ranking of a query could be worth nothing).
        """
        if relevant_from < 1:
            raise ValueError(f"relevant_from is {relevant_from!r}; give a grade of 1 or more")
        n = len(grades)
        sizes = np.fromiter(map(len, grades), dtype=np.int64, count=n)
        query = np.repeat(np.arange(n, dtype=np.int32), sizes)
        grade = np.fromiter(
            chain.from_iterable(map(dict.values, grades)),
            dtype=np.int16,
            count=len(query),
        )
        ideal_query, ideal_rank, ideal_grade = _order_best_first(query, grade, n=n)
        return cls(
            query_ids=tuple(query_ids),
            relevant_from=relevant_from,
            scale_max=scale_max,
            grades=tuple(grades),
            relevant=np.bincount(query[grade >= relevant_from], minlength=n),
            zeros=np.bincount(query[grade == 0], minlength=n),
            ideal_query=ideal_query,
            ideal_rank=ideal_rank,
            ideal_grade=ideal_grade,
        )

    @property
    def n(self) -> int:
        """Number of queries, scorable or not."""
        return len(self.query_ids)

    @property
    def scorable(self) -> NDArray[np.bool_]:
        """Whether each query has a relevant document, shape (n,)."""
        return self.relevant > 0

    def relevant_at(self, level: int | None) -> NDArray[np.int64]:
        """Count grades of `level` (1 or more; None: `relevant_from`) or more, shape (n,)."""
        if level is None or level == self.relevant_from:
            return self.relevant
        return np.bincount(self.ideal_query[self.ideal_grade >= level], minlength=self.n)

    def scorable_at(self, level: int | None) -> NDArray[np.bool_]:
        """Whether each query is scorable and has a document of grade `level`, shape (n,)."""
        return self.scorable & (self.relevant_at(level) > 0)


def count_up(query: NDArray[np.integer[Any]], *, n: int) -> NDArray[np.int64]:
    """Number the entries of each query from 1; `query` holds ascending indexes below n."""
    counts = np.bincount(query, minlength=n)
    starts = np.cumsum(counts) - counts
    ordinals: NDArray[np.int64] = np.arange(1, len(query) + 1) - starts[query]
    return ordinals


def _grade_by_id(query: Query) -> dict[str, int]:
    judged = query.relevant
    if judged is UNSET:
        return {}
    return dict(zip(map(str, map(_ID, judged)), map(_GRADE, judged), strict=True))


def _order_best_first(
    query: NDArray[np.int32], grade: NDArray[np.int16], *, n: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int16]]:
    positive = grade > 0
    query, grade = query[positive], grade[positive]
    # One sort over a joint key: far cheaper than sorting by grade and then by query.
    span = int(grade.max(initial=0)) + 1
    key = query.astype(np.int64) * span + (span - 1 - grade)
    key.sort()
    query = (key // span).astype(np.int32)
    grade = (span - 1 - key % span).astype(np.int16)
    return query, count_up(query, n=n).astype(np.int32), grade
