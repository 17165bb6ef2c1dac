"""A hold-out that is used up, or that a system does better on than on what it was tuned on."""

from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.splits import LOOKS_TOLD_FROM, LOOKS_WORN_FROM
from worker.diagnosis.facts import count

SPREAD: Final = 0.2
"""Standard deviation of per-query differences that is assumed where none is known."""
ENOUGH_QUERIES: Final = 10
_ERRORS: Final = 2.0


def find_worn(look: int, queries: int) -> Diagnostic | None:
    """Find a hold-out that was looked at often; `queries` of it were answered."""
    if look < LOOKS_TOLD_FROM:
        return None
    gain = expect_gain(look, queries)
    return Diagnostic(
        code=DiagnosticCode.HOLDOUT_WORN,
        severity=Severity.INFO if look < LOOKS_WORN_FROM else Severity.WARN,
        message=f"This is look {look} at the hold-out (told from {LOOKS_TOLD_FROM}, warned from "
        f"{LOOKS_WORN_FROM}). The best of {look} equal systems seems {gain:.3f} better than it is, "
        f"by chance alone, over {count(queries, 'query', 'queries')} whose differences have a "
        f"standard deviation of {SPREAD}: the winner's curse.",
        fix="Choose on `tune`, and look at the hold-out once to confirm the choice; when it is "
        "worn, hold out queries that no run has seen.",
        evidence=(
            {
                "look": look,
                "threshold": LOOKS_WORN_FROM,
                "queries": queries,
                "assumed_sd": SPREAD,
                "gain_by_chance": round(gain, 4),
            },
        ),
    )


def expect_gain(systems: int, queries: int) -> float:
    """Return what the best of equal systems seems to gain: the expected largest of their errors.

    Blom's approximation of the largest of so many normal draws, off by 5 % at most.
    """
    largest = NormalDist().inv_cdf((systems - 0.375) / (systems + 0.25))
    return SPREAD * largest / sqrt(queries)


def find_better(
    metric: str, tune: NDArray[np.float64], holdout: NDArray[np.float64]
) -> Diagnostic | None:
    """Find a hold-out that does better than `tune` by over two standard errors of the difference.

    Both hold the values of their queries, of any number; those without one are left out.
    """
    tune, holdout = tune[~np.isnan(tune)], holdout[~np.isnan(holdout)]
    if min(len(tune), len(holdout)) < ENOUGH_QUERIES:
        return None
    ahead = float(holdout.mean() - tune.mean())
    error = sqrt(holdout.var(ddof=1) / len(holdout) + tune.var(ddof=1) / len(tune))
    if ahead <= _ERRORS * error:
        return None
    return Diagnostic(
        code=DiagnosticCode.HOLDOUT_BETTER_THAN_TUNE,
        severity=Severity.WARN,
        message=f"Mean {metric} is {holdout.mean():.3f} over {len(holdout)} hold-out queries and "
        f"{tune.mean():.3f} over {len(tune)} that were tuned on. What was tuned should do no "
        f"better on what it has not seen: the difference of {ahead:.3f} is over {_ERRORS:g} "
        "standard errors.",
        fix="Check that the hold-out did not leak into tuning or training, and that both parts "
        "were judged alike; divide the set anew with `stratify_by`.",
        evidence=(
            {
                "metric": metric,
                "holdout": float(holdout.mean()),
                "tune": float(tune.mean()),
                "standard_error": error,
            },
        ),
    )
