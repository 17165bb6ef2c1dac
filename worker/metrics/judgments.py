"""Judgments of the scored queries as arrays, built once a run and kept; knows no ranking."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Self

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from reteval.contract.testsets import Query

_ID = attrgetter("id")
_GRADE = attrgetter("grade")


class Judgments(Struct, frozen=True, kw_only=True, eq=False):
    """What the test set says about each query; n queries in the order given to `build`.

    `grades` holds one dictionary a query, document id to grade, negative grades included.
    `relevant` counts grades of `relevant_from` or more, shape (n,). The positive grades stand
    best first within each query, one entry a document: `ideal_query` (index of the query),
    `ideal_rank` (from 1) and `ideal_grade` are parallel.
    """

    query_ids: tuple[str, ...]
    relevant_from: int
    grades: tuple[dict[str, int], ...]
    relevant: NDArray[np.int64]
    ideal_query: NDArray[np.int64]
    ideal_rank: NDArray[np.int64]
    ideal_grade: NDArray[np.int64]

    @classmethod
    def build(cls, queries: Sequence[Query], *, relevant_from: int) -> Self:
        """Index normalised queries: judgments as `relevant`, each document once a query.

        Raises:
            ValueError: `relevant_from` below 1; a grade of 0 would then be relevant, and the
                ideal ranking of a query could be worth nothing.
        """
        if relevant_from < 1:
            raise ValueError(f"relevant_from is {relevant_from!r}; give a grade of 1 or more")
        grades = tuple(map(_grade_by_id, queries))
        sizes = np.fromiter(map(len, grades), dtype=np.int64, count=len(grades))
        query = np.repeat(np.arange(len(grades)), sizes)
        grade = np.fromiter(
            chain.from_iterable(map(dict.values, grades)), dtype=np.int64, count=len(query)
        )
        relevant = np.bincount(query[grade >= relevant_from], minlength=len(grades))
        ideal_query, ideal_rank, ideal_grade = _order_best_first(query, grade, n=len(grades))
        return cls(
            query_ids=tuple(map(_ID, queries)),
            relevant_from=relevant_from,
            grades=grades,
            relevant=relevant,
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


def count_up(query: NDArray[np.int64], *, n: int) -> NDArray[np.int64]:
    """Number the entries of each query from 1; `query` holds ascending indexes below n."""
    counts = np.bincount(query, minlength=n)
    starts = np.cumsum(counts) - counts
    return np.arange(1, len(query) + 1) - starts[query]


def _grade_by_id(query: Query) -> dict[str, int]:
    judged = query.relevant
    if judged is UNSET:
        return {}
    return dict(zip(map(str, map(_ID, judged)), map(_GRADE, judged), strict=True))


def _order_best_first(
    query: NDArray[np.int64], grade: NDArray[np.int64], *, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    positive = grade > 0
    query, grade = query[positive], grade[positive]
    order = np.lexsort((-grade, query))
    return query, count_up(query, n=n), grade[order]
