"""What a kind costs: the paired loss, its interval, whom it hurts, and what to call it."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from msgspec import UNSET, Struct, structs
from numpy.typing import NDArray
from scipy.special import stdtrit

from reteval.contract.adversarial import Detectable, Drop, Relative, Share
from worker.metrics.intervals import Interval, paired_interval, proportion_interval
from worker.metrics.power import ALPHA, POWER, detectable
from worker.metrics.significance import holm, sign_flip_test

Values = NDArray[np.float64]

MARGIN: Final = 0.02
"""A drop within this many metric points counts as none."""
TIE: Final = 1e-9
EQUIVALENCE_LEVEL: Final = 0.90
MIN_EQUAL_NEEDS: Final = 6
"""Needs that must all move alike before that alone is evidence: 2 ** (1 - 6) < 0.05, the
two-sided sign-flip test."""
LEVEL: Final = 0.95


class Loss(Struct, frozen=True, kw_only=True, eq=False):
    """Clean and variant values of the same needs, shape (needs,), without NaN."""

    clean: Values
    variant: Values

    @property
    def differences(self) -> Values:
        """Loss of each need, clean minus variant."""
        return self.clean - self.variant


class Chance(Struct, frozen=True):
    """Whether a loss could be chance: p of one kind by itself, and corrected for all kinds."""

    p: float
    p_holm: float


def try_losses(losses: Iterable[Loss], *, seed: int) -> list[Chance | None]:
    """Test each kind's loss against none, and correct for having tested them all (Holm).

    None for a loss without needs, which is no test.
    """
    tried = [_try_loss(loss, seed) for loss in losses]
    p_values = [p for p in tried if p is not None]
    corrected = iter(holm(p_values))
    return [None if p is None else Chance(p, next(corrected)) for p in tried]


def estimate_drop(loss: Loss, *, missing: str, chance: Chance | None = None) -> Drop:
    """Return the mean loss with its paired t interval; `missing` says why there are no needs."""
    interval = paired_interval(loss.differences)
    needs = len(loss.clean)
    drop = Drop(
        mean=mean_or_none(loss.differences),
        ci=interval.ci,
        method="paired_t",
        level=interval.level,
        p=UNSET if chance is None else chance.p,
        p_holm=UNSET if chance is None else chance.p_holm,
    )
    if interval.ci is not None:
        return drop
    return structs.replace(drop, reason=interval.reason if needs else missing)


def estimate_relative(loss: Loss, *, missing: str) -> Relative:
    """Return the loss as a share of the clean mean (ratio of means, not mean of ratios).

    Its interval is Fieller's (1954), refused where that of the clean mean touches 0: then the
    ratio has no bounds.
    """
    if not len(loss.clean):
        return Relative(value=None, reason=missing)
    total = float(loss.clean.sum())
    if total <= TIE:
        return Relative(value=None, reason="clean_is_zero")
    value = float(loss.differences.sum()) / total
    if len(loss.clean) < 2:  # noqa: PLR2004  (a spread needs two)
        return Relative(value=value, reason="too_few")
    if np.ptp(loss.differences) <= TIE:
        return Relative(value=value, reason="no_variation")
    ci = _bound_ratio(loss.differences, loss.clean)
    return Relative(value=value, ci=ci, reason=UNSET if ci else "clean_mean_touches_zero")


def find_detectable(differences: Values) -> Detectable:
    """Return the least true drop that as many needs, scattering as these do, would show."""
    if len(differences) < 2:  # noqa: PLR2004  (a spread needs two)
        return Detectable(drop=None, reason="too_few")
    sigma = float(differences.std(ddof=1))
    if sigma <= TIE:
        return Detectable(drop=None, reason="no_variation")
    least = detectable(sigma, len(differences), alpha=ALPHA, power=POWER)
    return Detectable(drop=least, power=POWER, alpha=ALPHA)


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


def judge(
    loss: Loss,
    *,
    noise: float,
    chance: Chance | None,
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> str:
    """Name the finding: worse, better, no_change, inconclusive or not_run.

    `no_change` where the 90 % interval lies within the margin (two one-sided tests); else
    `worse` or `better` where p, corrected for all kinds, is at most alpha and the mean exceeds
    the control's noise.
    """
    differences = loss.differences
    if chance is None or not len(differences):
        return "not_run"
    narrow = bound_mean(differences, level=EQUIVALENCE_LEVEL)
    if narrow is not None and narrow[0] >= -margin and narrow[1] <= margin:
        return "no_change"
    mean = float(differences.mean())
    if chance.p_holm > alpha or abs(mean) <= noise:
        return "inconclusive"
    return "worse" if mean > 0 else "better"


def bound_mean(values: Values, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Return the t interval of the mean, or the one value that enough needs share."""
    return _bound(values, paired_interval(values, level=level))


def _try_loss(loss: Loss, seed: int) -> float | None:
    return sign_flip_test(loss.differences, seed=seed).p if len(loss.clean) else None


def _bound_ratio(differences: Values, clean: Values) -> tuple[float, float] | None:
    """Solve (d - R c)^2 = t^2 var(d - R c) for R, d and c being the two means.

    None where the clean mean is not told from 0: the solutions then bound nothing.
    """
    n = len(clean)
    d, c = float(differences.mean()), float(clean.mean())
    (var_d, cov), (_, var_c) = np.cov(differences, clean) / n
    t = float(stdtrit(n - 1, (1 + LEVEL) / 2))
    a, b, e = (
        c**2 - t**2 * float(var_c),
        c * d - t**2 * float(cov),
        d**2 - t**2 * float(var_d),
    )
    if a <= 0:
        return None
    root = float(np.sqrt(max(b**2 - a * e, 0.0)))
    return (b - root) / a, (b + root) / a


def _bound(differences: Values, interval: Interval) -> tuple[float, float] | None:
    """Return the interval, or the one value that enough needs share."""
    if interval.ci is None and len(differences) >= MIN_EQUAL_NEEDS:
        return float(differences[0]), float(differences[0])
    return interval.ci
