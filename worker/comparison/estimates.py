"""One metric over paired units: the difference, its interval, and how often it went which way."""

from typing import Final

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from reteval.contract.comparisons import Difference
from worker.comparison.pairing import Pairs
from worker.comparison.runs import RunView
from worker.metrics.intervals import paired_interval

Values = NDArray[np.float64]

EQUIVALENCE_LEVEL: Final = 0.90
MIN_EQUAL: Final = 6
"""Units that must all differ alike before that alone is evidence: 2 ** (1 - 6) < 0.05, the
two-sided sign-flip test."""


class Units(Struct, frozen=True, kw_only=True, eq=False):
    """Values of both runs, shape (units,), without NaN; `n` queries stand behind them."""

    baseline: Values
    candidate: Values
    n: int

    @property
    def differences(self) -> Values:
        """Candidate minus baseline."""
        return self.candidate - self.baseline

    def __len__(self) -> int:
        return len(self.baseline)


class Tally(Struct, frozen=True):
    """Units that rose, stayed within the tie tolerance, fell."""

    wins: int
    ties: int
    losses: int


def gather_units(
    baseline: RunView,
    candidate: RunView,
    pairs: Pairs,
    metric: str,
    among: NDArray[np.bool_] | None = None,
) -> Units:
    """Take a metric's values of the paired queries in `among`, as means over their units.

    A query without a value in either run is left out.
    """
    before = baseline.values[metric][pairs.baseline]
    after = candidate.values[metric][pairs.candidate]
    known = ~(np.isnan(before) | np.isnan(after))
    if among is not None:
        known &= among
    _, unit = np.unique(pairs.units[known], return_inverse=True)
    sizes = np.bincount(unit)
    return Units(
        baseline=np.bincount(unit, weights=before[known]) / sizes,
        candidate=np.bincount(unit, weights=after[known]) / sizes,
        n=int(np.count_nonzero(known)),
    )


def estimate_difference(differences: Values) -> Difference:
    """Return the mean difference with its 95 % t interval, and the 90 % one for equivalence.

    Where `ci` is null, `reason` is "no_common_query", "too_few" or "no_variation".
    """
    n = len(differences)
    wide = paired_interval(differences)
    narrow = paired_interval(differences, level=EQUIVALENCE_LEVEL)
    reason = wide.reason if n else "no_common_query"
    return Difference(
        mean=mean_or_none(differences),
        ci=wide.ci,
        level=wide.level,
        method="paired_t" if wide.ci else "none",
        sd=float(differences.std(ddof=1)) if n > 1 else None,
        equivalence=narrow.ci,
        reason=UNSET if reason is None else reason,
    )


def find_equivalence(differences: Values) -> tuple[float, float] | None:
    """Return the 90 % interval, or the one value that enough units share."""
    interval = paired_interval(differences, level=EQUIVALENCE_LEVEL)
    if interval.ci is None and len(differences) >= MIN_EQUAL:
        return float(differences[0]), float(differences[0])
    return interval.ci


def tally(differences: Values, *, tie: float) -> Tally:
    """Count wins, ties and losses of the candidate; differences up to `tie` are ties."""
    wins = int(np.count_nonzero(differences > tie))
    losses = int(np.count_nonzero(differences < -tie))
    return Tally(wins, len(differences) - wins - losses, losses)


def mean_or_none(values: Values) -> float | None:
    """Return the mean, or None of nothing."""
    return float(values.mean()) if len(values) else None
