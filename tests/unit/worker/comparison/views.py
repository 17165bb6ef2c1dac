"""Small runs to compare."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from reteval.contract.comparisons import ComparisonReport, ComparisonRequest, Scope, Side
from reteval.contract.differences import Changes
from reteval.contract.runs import RunStatus, TestSetRef
from worker.comparison.compare import compare
from worker.comparison.runs import RunView

FAILED = None
"""Stands for a query that was not answered."""


def view(
    run: str,
    values: Sequence[float | None],
    *,
    rankings: Sequence[Sequence[str]] | None = None,
    columns: Mapping[str, Sequence[float]] | None = None,
    query_ids: Sequence[str] = (),
    texts: Sequence[str] = (),
    test_set: str = "one",
) -> RunView:
    """Make a run with one ndcg@10 a query (None: it failed), or with other columns.

    Without `rankings` each query has its own two documents, in an order of the run's own.
    """
    n = len(values)
    ids = tuple(query_ids) or tuple(f"q{place}" for place in range(n))
    answered = np.array([value is not None for value in values], dtype=np.bool_)
    main = [np.nan if value is None else value for value in values]
    given = {"ndcg@10": main} if columns is None else columns
    return RunView(
        side=Side(
            run=run,
            label=f"label of {run}",
            status=RunStatus.COMPLETED,
            test_set=TestSetRef(id="ts_1", name="docs", version=1, hash=test_set),
            answered=int(answered.sum()),
            timestamp="2026-01-02T03:04:05Z",
        ),
        hash=test_set,
        query_ids=ids,
        texts=tuple(texts) or tuple(f"text of {each}" for each in ids),
        answered=answered,
        values={name: np.array(column, dtype=np.float64) for name, column in given.items()},
        rankings=rankings or [[f"{run} first {each}", f"{each} second"] for each in ids],
        latency_ms=np.full(n, np.nan),
        slices=[()] * n,
        clusters=[""] * n,
        depth=10,
    )


def judge(
    baseline: RunView,
    candidate: RunView,
    *,
    primary: str | None = None,
    metrics: tuple[str, ...] = (),
    margin: float = 0.02,
    on: Scope | None = None,
    tie: float = 1e-9,
    changes: Changes | UnsetType = UNSET,
) -> ComparisonReport:
    """Compare two views under a fixed id and seed."""
    request = ComparisonRequest(
        baseline=baseline.side.run,
        candidate=candidate.side.run,
        primary=primary,
        metrics=metrics,
        margin=margin,
        on=on,
        tie=tie,
        seed=5,
    )
    return compare("cmp_1", request, baseline, candidate, changes)


def compare_values(
    before: Sequence[float], after: Sequence[float] | NDArray[np.float64]
) -> ComparisonReport:
    """Compare two columns of ndcg@10."""
    return judge(view("a", list(before)), view("b", [float(each) for each in after]))
