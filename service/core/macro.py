"""Several test sets as one: sums of counts, and macro means, in which every set counts once."""

from collections import Counter
from collections.abc import Sequence
from math import fsum, sqrt
from typing import Final

from msgspec import UNSET

from reteval.contract.results import Counts, MetricSummary
from reteval.contract.suites import MacroMean, SuiteRow

LEVEL: Final = 0.95
_COUNTED: Final = tuple(name for name in Counts.__struct_fields__ if name != "failed_by_code")


def average_rows(rows: Sequence[SuiteRow]) -> dict[str, MacroMean]:
    """Average each metric that any set has over all of the sets."""
    names = dict.fromkeys(name for row in rows for name in row.metrics or ())
    return {name: average(name, rows) for name in names}


def add_counts(counts: Sequence[Counts]) -> Counts:
    """Add up the counts of several sets."""
    codes: Counter[str] = Counter()
    sums: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
    for each in counts:
        codes.update(each.failed_by_code)
        sums.update({name: getattr(each, name) for name in _COUNTED})
    return Counts(**sums, failed_by_code=dict(sorted(codes.items())))


def average(metric: str, rows: Sequence[SuiteRow]) -> MacroMean:
    """Average a metric; there is no mean over a part of the sets."""
    found = [(row, (row.metrics or {}).get(metric)) for row in rows]
    lacking = [
        _tell_lack(row, summary)
        for row, summary in found
        if summary is None or summary.mean is None
    ]
    sets = len(rows) - len(lacking)
    if lacking:
        return MacroMean(
            mean=None, ci=None, level=LEVEL, sets=sets, reason=f"no mean of {'; '.join(lacking)}"
        )
    pairs = [(row.weight, summary) for row, summary in found if summary is not None]
    whole = fsum(weight for weight, _ in pairs)
    mean = fsum(weight * (summary.mean or 0.0) for weight, summary in pairs) / whole
    ci, reason = _bound(mean, pairs, whole)
    return MacroMean(mean=mean, ci=ci, level=LEVEL, sets=sets, reason=reason or UNSET)


def _bound(
    mean: float, pairs: Sequence[tuple[float, MetricSummary]], whole: float
) -> tuple[tuple[float, float] | None, str]:
    """Return the interval, or None and why there is none.

    The distances from each mean to the ends of its own interval add up as errors do (Zou and
    Donner, Statistics in Medicine 2008): what makes those intervals hold makes this one hold.
    """
    below, above = [], []
    for weight, summary in pairs:
        if summary.ci is None or summary.mean is None:
            return None, str(summary.reason or "no interval of a set")
        low, high = summary.ci
        below.append((weight * (summary.mean - low)) ** 2)
        above.append((weight * (high - summary.mean)) ** 2)
    return (mean - sqrt(fsum(below)) / whole, mean + sqrt(fsum(above)) / whole), ""


def _tell_lack(row: SuiteRow, summary: MetricSummary | None) -> str:
    reason = row.reason if row.metrics is None else "not measured"
    if summary is not None:
        reason = summary.reason
    return f"{row.test_set.name}: {reason or 'no reason given'}"
