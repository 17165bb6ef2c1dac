"""Whether confidence tells answerable queries from the others, and what a floor would cost."""

from typing import Final

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from reteval.contract.out_of_corpus import Auroc, Floor, Ratio, RiskCoverage
from worker.pipeline.confidence import HIGHER, Confidence, Values

WINDOW: Final = 1
"""Words by which two queries may differ and still count as equally long."""
MIN_PAIRED: Final = 10
"""Queries of either sort from which shares over them are worth showing."""
GOOD_AUROC: Final = 0.8
KEPT: Final = 0.95
COVERAGES: Final = (0.25, 0.5, 0.75, 1.0)


def measure_auroc(clean: Confidence, other: Confidence) -> Auroc:
    """Compare each unanswerable query with the clean ones of its length, then average."""
    paired = int(np.count_nonzero(find_partners(other, clean)))
    if paired < MIN_PAIRED:
        return Auroc(
            top1=None,
            mean_k=None,
            gap=None,
            n=paired,
            of=len(other),
            reason="too_few_of_equal_length",
        )
    gap = _compare(clean.gap, clean.words, other.gap, other.words)
    return Auroc(
        top1=_compare(clean.top1, clean.words, other.top1, other.words),
        mean_k=_compare(clean.mean_k, clean.words, other.mean_k, other.words),
        gap=gap,
        n=paired,
        of=len(other),
        reason=UNSET if gap is not None else "gap_needs_two_hits",
    )


def find_partners(of: Confidence, among: Confidence) -> NDArray[np.bool_]:
    """Return which queries have one of equal length among the others, shape (n,)."""
    lengths = np.unique(among.words)
    near = np.searchsorted(lengths, of.words - WINDOW)
    found = near < len(lengths)
    found[found] = lengths[near[found]] <= of.words[found] + WINDOW
    return found


def measure_fpr(clean: Confidence, other: Confidence) -> Ratio:
    """Return the share of `other` that a floor keeping 95 % of `clean` would let through.

    Both are of matched length. An empty page is never let through.
    """
    if min(len(clean), len(other)) < MIN_PAIRED:
        return Ratio(value=None, n=len(other), reason="too_few_of_equal_length")
    bound = float(np.quantile(clean.top1, 1 - KEPT, method="lower"))
    passed = np.isfinite(other.top1) & (other.top1 >= bound)
    return Ratio(value=float(passed.mean()), n=len(other))


def suggest_floor(clean: Confidence, other: Confidence, auroc: Auroc, direction: str) -> Floor:
    """Choose the floor on every second query, and judge it on the rest.

    Null with the reason `already_abstains`, `too_few_of_equal_length`, `too_few_hits`, or
    `auroc_below_0.8`: then no floor would be worth its price.
    """
    if len(other) and not np.isfinite(other.top1).any():
        return Floor(value=None, reason="already_abstains")
    if auroc.top1 is None or min(len(clean), len(other)) < 2 * MIN_PAIRED:
        return Floor(value=None, reason="too_few_of_equal_length")
    if auroc.top1 < GOOD_AUROC:
        return Floor(value=None, reason=f"auroc_below_{GOOD_AUROC}")
    if not np.isfinite(clean.top1[::2]).any():
        return Floor(value=None, reason="too_few_hits")
    floor = _choose_floor(clean.top1[::2], other.top1[::2])
    held_clean, held_other = clean.top1[1::2], other.top1[1::2]
    return Floor(
        value=floor if direction == HIGHER else -floor,
        keep="at_or_above" if direction == HIGHER else "at_or_below",
        refused=float(np.mean(held_clean < floor)),
        clean=len(held_clean),
        answered=float(np.mean(held_other >= floor)),
        queries=len(held_other),
    )


def trace_risk(confidence: Values, metric: Values, *, name: str) -> RiskCoverage:
    """Answer the surest queries first: risk is 1 - metric over those answered.

    Both of shape (n,), metric in [0, 1]. Equal confidences share their mean risk, so that
    their order does not matter. Source: Geifman and El-Yaniv, NeurIPS 2017.
    """
    n = len(confidence)
    if n < MIN_PAIRED:
        return RiskCoverage(aurc=None, at={}, n=n, metric=name, reason="too_few_queries")
    _, group, sizes = np.unique(-confidence, return_inverse=True, return_counts=True)
    shared = np.bincount(group, weights=1.0 - metric) / sizes
    risks = np.cumsum(np.repeat(shared, sizes)) / np.arange(1, n + 1)
    return RiskCoverage(
        aurc=float(risks.mean()),
        at={f"{share:.2f}": float(risks[max(round(share * n), 1) - 1]) for share in COVERAGES},
        n=n,
        metric=name,
    )


def _compare(
    clean: Values, clean_words: NDArray[np.int64], other: Values, other_words: NDArray[np.int64]
) -> float | None:
    """Mean chance that a clean query of the same length is surer; ties count half."""
    known_clean, known_other = ~np.isnan(clean), ~np.isnan(other)
    clean, clean_words = clean[known_clean], clean_words[known_clean]
    other, other_words = other[known_other], other_words[known_other]
    chances = []
    for length in np.unique(other_words):
        partners = np.sort(clean[np.abs(clean_words - length) <= WINDOW])
        if not len(partners):
            continue
        asked = other[other_words == length]
        below = np.searchsorted(partners, asked, side="left")
        upto = np.searchsorted(partners, asked, side="right")
        chances.append(1.0 - (below + upto) / (2 * len(partners)))
    return float(np.concatenate(chances).mean()) if chances else None


def _choose_floor(clean: Values, other: Values) -> float:
    """Return the floor with the best Youden index, halfway to the next value below.

    Of floors as good the lowest, which refuses fewest.
    """
    values = np.unique(np.concatenate([clean, other]))
    values = values[np.isfinite(values)]
    kept = 1.0 - np.searchsorted(np.sort(clean), values) / len(clean)
    passed = 1.0 - np.searchsorted(np.sort(other), values) / len(other)
    best = int(np.argmax(kept - passed))
    return float(values[best] if best == 0 else (values[best - 1] + values[best]) / 2)
