"""Which queries of two runs can be compared, and why the others cannot."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.comparison.runs import RunView

Places = NDArray[np.int64]

_OUTSIDE: Final = frozenset({"only_in_baseline", "only_in_candidate", "other_text", "no_value"})
"""Reasons that say nothing about either endpoint."""


class Pairs(Struct, frozen=True, kw_only=True, eq=False):
    """The queries answered in both runs: their places in each, shape (n,).

    `units` numbers what counts as one observation: a cluster, else the query itself. `dropped`
    counts the other queries by reason.
    """

    baseline: Places
    candidate: Places
    units: Places
    dropped: dict[str, int]

    @property
    def n(self) -> int:
        """Queries answered in both."""
        return len(self.baseline)

    @property
    def shared(self) -> int:
        """Queries that both runs asked, answered or not."""
        lost = sum(count for reason, count in self.dropped.items() if reason not in _OUTSIDE)
        return self.n + lost


def pair_runs(baseline: RunView, candidate: RunView, metrics: Sequence[str]) -> Pairs:
    """Pair the queries of two runs by id and equal text, in the baseline's order.

    Dropped are `failed_in_baseline`, `failed_in_candidate`, `failed_in_both`,
    `only_in_baseline`, `only_in_candidate`, `other_text`, and `no_value`: answered in both, but
    none of `metrics` has a value in either.
    """
    place_of = {query_id: place for place, query_id in enumerate(candidate.query_ids)}
    valued = [_has_value(run, metrics) for run in (baseline, candidate)]
    dropped: Counter[str] = Counter()
    pairs: list[tuple[int, int]] = []
    for place, query_id in enumerate(baseline.query_ids):
        other = place_of.pop(query_id, None)
        if other is None:
            dropped["only_in_baseline"] += 1
            continue
        reason = _find_obstacle(baseline, place, candidate, other)
        if not reason and not (valued[0][place] or valued[1][other]):
            reason = "no_value"
        if reason:
            dropped[reason] += 1
        else:
            pairs.append((place, other))
    dropped["only_in_candidate"] = len(place_of)
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Pairs(
        baseline=places[:, 0],
        candidate=places[:, 1],
        units=_number_units([baseline.clusters[place] for place, _ in pairs]),
        dropped={reason: count for reason, count in sorted(dropped.items()) if count},
    )


def _find_obstacle(baseline: RunView, place: int, candidate: RunView, other: int) -> str:
    if baseline.texts[place] != candidate.texts[other]:
        return "other_text"
    answered = bool(baseline.answered[place]), bool(candidate.answered[other])
    return {
        (True, True): "",
        (True, False): "failed_in_candidate",
        (False, True): "failed_in_baseline",
        (False, False): "failed_in_both",
    }[answered]


def _has_value(run: RunView, metrics: Sequence[str]) -> NDArray[np.bool_]:
    known = np.zeros(len(run.query_ids), dtype=np.bool_)
    for metric in metrics:
        known |= ~np.isnan(run.values[metric])
    return known


def _number_units(clusters: Sequence[str]) -> Places:
    numbers: dict[str | int, int] = {}
    return np.array(
        [
            numbers.setdefault(cluster or place, len(numbers))
            for place, cluster in enumerate(clusters)
        ],
        dtype=np.int64,
    )
