"""What a person reads: the verdict and the power of a comparison in a sentence or two."""

from typing import Final

from msgspec import UNSET, UnsetType

from reteval.contract.comparisons import MetricComparison, Verdict
from reteval.contract.differences import Changes
from reteval.contract.runs import TestSetRef

_SPREAD: Final = 2
"""Values from which there is a spread."""


def describe_power(n: int, noun: str, *, least: float, margin: float, needed: int) -> str:
    """Say what n queries can see, and how many the margin takes."""
    seen = f"With {n} {noun} you can see ±{least:.3f}"
    if needed <= n:
        return f"{seen}; for ±{margin:g} you need {needed}, so they are enough."
    return f"{seen}; for ±{margin:g} you need {needed}."


def describe_unknown_power(n: int, noun: str) -> str:
    """Say why there is no power to speak of."""
    if n < _SPREAD:
        return f"{n} {noun} in both runs have no spread; compare at least 50."
    return f"All {n} {noun} differ alike, so what they can see is unknown."


def describe_test_sets(before: TestSetRef, after: TestSetRef, changes: Changes | UnsetType) -> str:
    """Say which two test sets were used and, where it is known, how they differ."""
    names = " and ".join(f"{one.name!r} version {one.version}" for one in (before, after))
    if changes is UNSET:
        return names
    counted = {"queries": changes.queries, "judgments": changes.judgments}
    parts = [
        f"{noun} {of.added} added, {of.removed} removed, {of.changed} changed"
        for noun, of in counted.items()
    ]
    parts += [f"{' and '.join(changes.head)} changed"] if changes.head else []
    parts += ["queries reordered"] if changes.reordered else []
    return f"{names} ({'; '.join(parts)})"


def describe_verdict(
    metric: str, result: MetricComparison, *, margin: float, alpha: float, tested: int
) -> str:
    """Say what happened to the primary metric, `tested` being how many were tested at once."""
    if result.reason in _REASONS:
        return _REASONS[str(result.reason)].format(metric=metric, n=result.n)
    if result.verdict is Verdict.NO_CHANGE:
        return _describe_equality(metric, result, margin)
    if result.verdict is Verdict.INCONCLUSIVE:
        doubt = _describe_doubt(metric, result)
        return doubt + _describe_family(result, alpha=alpha, tested=tested)
    return _describe_move(metric, result)


_REASONS: Final = {
    "identical_runs": (
        "No change: both runs returned the same rankings, so {metric} is equal by construction."
    ),
    "low_overlap": (
        "Can't tell: too many queries failed in one run, and those that did not may be the easy "
        "ones. Retry the failed requests, then compare again."
    ),
    "no_common_query": "Can't tell: no query has a value of {metric} in both runs.",
    "too_few": "Can't tell: {n} query with a value of {metric} in both runs is no sample.",
    "other_depth": (
        "Can't tell: the runs were asked for lists of different depth, and {metric} is over the "
        "whole list. Choose a metric with a cut-off, or run both at one depth."
    ),
    "other_threshold": (
        "Can't tell: the runs count other grades as relevant. Rescore one of them with the "
        "other's relevant_from, then compare again."
    ),
}


def _describe_move(metric: str, result: MetricComparison) -> str:
    mean = result.difference.mean or 0.0
    word = "Better" if result.verdict is Verdict.BETTER else "Worse"
    moved = "rose" if mean > 0 else "fell"
    return (
        f"{word}: {metric} {moved} by {abs(mean):.3f}, from {result.baseline:.3f} to "
        f"{result.candidate:.3f} ({_interval(result)}{_p(result)}, {_count(result)})."
    )


def _describe_equality(metric: str, result: MetricComparison, margin: float) -> str:
    mean, bounds = result.difference.mean or 0.0, result.difference.equivalence
    if bounds is None:
        return f"No change: {metric} moved by {mean:+.3f} for each of {_count(result)}."
    return (
        f"No change: {metric} moved by {mean:+.3f} over {_count(result)}, and the 90 % interval, "
        f"{bounds[0]:+.3f} to {bounds[1]:+.3f}, lies within ±{margin:g}."
    )


def _describe_doubt(metric: str, result: MetricComparison) -> str:
    mean = result.difference.mean or 0.0
    return (
        f"Can't tell: {metric} moved by {mean:+.3f} over {_count(result)} "
        f"({_interval(result)}{_p(result)}). {result.power.sentence}"
    )


def _describe_family(result: MetricComparison, *, alpha: float, tested: int) -> str:
    p = result.significance.p
    if p is None or p > alpha:
        return ""
    return (
        f" Alone it would differ (p {_number(p)}), but {tested} metrics were tested at once; "
        "name the few that decide in `metrics`."
    )


def _interval(result: MetricComparison) -> str:
    ci = result.difference.ci
    return f"95 % interval {ci[0]:+.3f} to {ci[1]:+.3f}, " if ci else ""


def _p(result: MetricComparison) -> str:
    p_holm = result.significance.p_holm
    return "" if p_holm is None else f"p {_number(p_holm)}"


def _number(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"  # noqa: PLR2004  (what three digits show)


def _count(result: MetricComparison) -> str:
    if isinstance(result.units, int):
        return f"{result.units} clusters of {result.n} queries"
    return f"{result.n} queries"
