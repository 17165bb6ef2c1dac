"""One of the two runs, as columns over its queries."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.comparisons import Side

Values = NDArray[np.float64]


class IncomparableError(ValueError):
    """Two runs that share no metric or no test set; the message says what to ask for instead."""


class RunView(Struct, frozen=True, kw_only=True, eq=False):
    """A run's scorable queries, n of them; every column is parallel to `query_ids`.

    `hash` is the content hash of its test set. `values` holds each metric by canonical name,
    NaN where a query has none. `latency_ms` is NaN unless the query was answered at its first
    attempt. `slices` names the slices of each query, `clusters` its need ("": its own).
    `depth` is what the endpoint was asked for, `relevant_from` the least relevant grade.
    """

    side: Side
    hash: str
    query_ids: Sequence[str]
    texts: Sequence[str]
    answered: NDArray[np.bool_]
    values: Mapping[str, Values]
    rankings: Sequence[Sequence[str]]
    latency_ms: Values
    slices: Sequence[Sequence[str]]
    clusters: Sequence[str]
    depth: int
    relevant_from: int = 1


def same_queries(baseline: RunView, candidate: RunView) -> bool:
    """Whether two runs were over the same version of a test set, and the same split of it."""
    return baseline.hash == candidate.hash and baseline.side.split == candidate.side.split
