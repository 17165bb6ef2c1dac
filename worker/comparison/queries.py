"""Which queries and slices moved in the primary metric."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from reteval.contract.comparisons import Mover, SliceComparison
from worker.comparison.estimates import estimate_difference, gather_units, mean_or_none
from worker.comparison.pairing import Pairs
from worker.comparison.runs import RunView

MAX_MOVERS: Final = 10
MAX_SLICES: Final = 100


def find_movers(
    baseline: RunView, candidate: RunView, pairs: Pairs, metric: str, *, tie: float
) -> tuple[Mover, ...]:
    """Return the up to ten queries that lost most, then the up to ten that gained most.

    Each group is ordered by the size of its move, then by query id; ties are no moves.
    """
    before = baseline.values[metric][pairs.baseline]
    after = candidate.values[metric][pairs.candidate]
    moves = after - before
    query_ids = [baseline.query_ids[place] for place in pairs.baseline]
    order = sorted(
        np.flatnonzero(np.abs(np.nan_to_num(moves)) > tie).tolist(),
        key=lambda place: (-abs(float(moves[place])), query_ids[place]),
    )
    losses = [place for place in order if moves[place] < 0][:MAX_MOVERS]
    gains = [place for place in order if moves[place] > 0][:MAX_MOVERS]
    return tuple(
        Mover(
            query_id=query_ids[place],
            query=baseline.texts[pairs.baseline[place]],
            baseline=float(before[place]),
            candidate=float(after[place]),
            difference=float(moves[place]),
        )
        for place in (*losses, *gains)
    )


def compare_slices(
    baseline: RunView, candidate: RunView, pairs: Pairs, metric: str
) -> dict[str, SliceComparison]:
    """Compare within each slice of the baseline's queries; the hundred largest, largest first."""
    rows = _find_members([baseline.slices[place] for place in pairs.baseline])
    largest = sorted(rows, key=lambda name: (-len(rows[name]), name))[:MAX_SLICES]
    slices = {}
    for name in largest:
        among = np.zeros(pairs.n, dtype=np.bool_)
        among[rows[name]] = True
        units = gather_units(baseline, candidate, pairs, metric, among)
        slices[name] = SliceComparison(
            n=units.n,
            baseline=mean_or_none(units.baseline),
            candidate=mean_or_none(units.candidate),
            difference=estimate_difference(units.differences),
        )
    return slices


def _find_members(names: Sequence[Sequence[str]]) -> Mapping[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for place, row in enumerate(names):
        for name in row:
            rows.setdefault(name, []).append(place)
    return rows
