"""How hard each query was in earlier runs: tertiles of its mean."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from reteval.contract.slices import EASY, HARD, LEAST_PAST_RUNS, MEDIUM
from worker.pipeline.slices import NOT_RATED

_TERTILES = (1 / 3, 2 / 3)


class Difficulty(Struct, frozen=True):
    """The difficulty of each query by id, and what it was taken from, in words."""

    names: Mapping[str, str] = NOT_RATED
    about: str = "absent: no earlier runs were read"


def rate_difficulty(metric: str, past: Sequence[Mapping[str, float]]) -> Difficulty:
    """Rate queries by their mean over past runs, each a value of the metric by query id.

    A query needs a value in as many runs as a rating needs: one good day is no ease. Queries of
    equal mean are never told apart, so that the three parts may differ in size.
    """
    runs = f"{len(past)} earlier runs with {metric}"
    if len(past) < LEAST_PAST_RUNS:
        return Difficulty(about=f"absent: {runs}, at least {LEAST_PAST_RUNS} are needed")
    values: dict[str, list[float]] = {}
    for run in past:
        for query_id, value in run.items():
            values.setdefault(query_id, []).append(value)
    ids = [query_id for query_id, found in values.items() if len(found) >= LEAST_PAST_RUNS]
    if not ids:
        return Difficulty(about=f"absent: no query has a value in {LEAST_PAST_RUNS} of {runs}")
    means = np.array([np.mean(values[query_id]) for query_id in ids])
    first, second = (float(cut) for cut in np.quantile(means, _TERTILES))
    names = {
        query_id: _rate(float(mean), first, second)
        for query_id, mean in zip(ids, means, strict=True)
    }
    return Difficulty(names, about=f"from {runs}; tertiles {first:.3f} and {second:.3f}")


def _rate(mean: float, first: float, second: float) -> str:
    if mean <= first and mean < second:
        return HARD
    if mean >= second and mean > first:
        return EASY
    return MEDIUM
