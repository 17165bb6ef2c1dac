"""What a kind costs: the paired loss, its interval, whom it hurts, and what to call it."""

from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.adversarial import Drop, Relative, Share
from worker.metrics.intervals import Interval, paired_interval, proportion_interval

Values = NDArray[np.float64]

MARGIN: Final = 0.02
"""A drop within this many metric points counts as none."""
TIE: Final = 1e-9
EQUIVALENCE_LEVEL: Final = 0.90
MIN_EQUAL_NEEDS: Final = 6
"""Needs that must all move alike before that alone is evidence: 2 ** (1 - 6) < 0.05, the
two-sided sign-flip test."""


class Loss(Struct, frozen=True, kw_only=True, eq=False):
    """Clean and variant values of the same needs, shape (needs,), without NaN."""

    clean: Values
    variant: Values

    @property
    def differences(self) -> Values:
        """Loss of each need, clean minus variant."""
        return self.clean - self.variant


def estimate_drop(loss: Loss, *, missing: str) -> Drop:
    """Return the mean loss with its paired t interval; `missing` says why there are no needs."""
    interval = paired_interval(loss.differences)
    needs = len(loss.clean)
    drop = Drop(
        mean=mean_or_none(loss.differences),
        ci=interval.ci,
        method="paired_t",
        level=interval.level,
    )
    if interval.ci is not None:
        return drop
    return structs.replace(drop, reason=interval.reason if needs else missing)


def estimate_relative(loss: Loss, *, missing: str) -> Relative:
    """Return the loss as a share of the clean mean (ratio of means, not mean of ratios)."""
    if not len(loss.clean):
        return Relative(value=None, reason=missing)
    total = float(loss.clean.sum())
    if total <= TIE:
        return Relative(value=None, reason="clean_is_zero")
    return Relative(value=float(loss.differences.sum()) / total)


def share_of(selected: NDArray[np.bool_]) -> Share:
    """Count the selected needs, with a Wilson interval of their share."""
    n, of = int(np.count_nonzero(selected)), len(selected)
    return Share(n=n, share=n / of if of else None, ci=proportion_interval(n, of).ci)


def mean_or_none(values: Values) -> float | None:
    """Return the mean, or None of nothing."""
    return float(values.mean()) if len(values) else None


def measure_noise(loss: Loss) -> float:
    """Return the band a control leaves: its mean loss or half its interval, whichever is wider."""
    if not len(loss.clean):
        return 0.0
    bounds = _bound(loss.differences, paired_interval(loss.differences))
    half = (bounds[1] - bounds[0]) / 2 if bounds else 0.0
    return max(abs(float(loss.differences.mean())), half)


def judge(loss: Loss, *, noise: float) -> str:
    """Name the finding: worse, better, no_change, inconclusive or not_run.

    `no_change` where the 90 % interval lies within the margin (two one-sided tests); else
    `worse` or `better` where the 95 % interval clears 0 and the mean exceeds the control's noise.
    """
    differences = loss.differences
    if not len(differences):
        return "not_run"
    narrow = _bound(differences, paired_interval(differences, level=EQUIVALENCE_LEVEL))
    wide = _bound(differences, paired_interval(differences))
    if narrow is None or wide is None:
        return "inconclusive"
    if narrow[0] >= -MARGIN and narrow[1] <= MARGIN:
        return "no_change"
    mean = float(differences.mean())
    if wide[0] > 0 and mean > noise:
        return "worse"
    if wide[1] < 0 and -mean > noise:
        return "better"
    return "inconclusive"


def _bound(differences: Values, interval: Interval) -> tuple[float, float] | None:
    """Return the interval, or the one value that enough needs share."""
    if interval.ci is None and len(differences) >= MIN_EQUAL_NEEDS:
        return float(differences[0]), float(differences[0])
    return interval.ci
