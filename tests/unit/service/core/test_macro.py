"""Macro means against their definition, their interval against what it should cover."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from reteval.contract.metrics import parse_metric
from reteval.contract.results import Counts, MetricSummary
from reteval.contract.runs import RunStatus, TestSetRef
from reteval.contract.suites import SuiteRow
from service.core.macro import LEVEL, add_counts, average, average_rows
from worker.metrics.summary import summarise


def a_summary(mean: float | None, low: float = 0.0, high: float = 1.0) -> MetricSummary:
    """Return a summary of ten queries."""
    return MetricSummary(
        mean=mean,
        n=10,
        sd=0.2,
        ci=None if mean is None else (low, high),
        level=LEVEL,
        method="t",
        bounds=None,
        reason=UNSET if mean is not None else "no_scorable_query",
    )


def a_row(summary: MetricSummary | None, *, weight: float = 1.0, name: str = "set") -> SuiteRow:
    """Return the row of a set that ended with this mrr."""
    return SuiteRow(
        run="run_1",
        test_set=TestSetRef(id="ts_1", name=name, version=1, hash=""),
        weight=weight,
        status=RunStatus.COMPLETED if summary else RunStatus.FAILED,
        metrics={"mrr": summary} if summary else None,
        reason=UNSET if summary else "no_answers",
    )


shares = st.floats(0, 1)


@st.composite
def intervals(draw: st.DrawFn) -> MetricSummary:
    """Draw a summary whose interval holds its mean."""
    low, mean, high = sorted(draw(st.tuples(shares, shares, shares)))
    return a_summary(mean, low, high)


@given(st.lists(st.tuples(intervals(), st.floats(0.001, 1_000)), min_size=1, max_size=50))
def test_macro_mean_is_numpys_weighted_average(
    sets: Sequence[tuple[MetricSummary, float]],
) -> None:
    """The mean is the weighted one; the interval holds it and lies in [0, 1]."""
    rows = [a_row(summary, weight=weight) for summary, weight in sets]
    found = average("mrr", rows)
    means = [summary.mean for summary, _ in sets]
    assert found.mean == pytest.approx(np.average(means, weights=[w for _, w in sets]))
    assert found.sets == len(sets)
    assert found.ci is not None
    assert found.mean is not None
    assert -1e-12 <= found.ci[0] <= found.mean <= found.ci[1] <= 1 + 1e-12


@given(intervals(), st.floats(0.001, 1_000))
def test_one_set_has_its_own_interval(summary: MetricSummary, weight: float) -> None:
    """Of a single set, the macro mean is the set's, and so is its interval."""
    found = average("mrr", [a_row(summary, weight=weight)])
    assert found.ci == pytest.approx(summary.ci, abs=1e-9)


@given(intervals(), st.integers(1, 20))
def test_equal_sets_narrow_with_the_root_of_their_number(summary: MetricSummary, n: int) -> None:
    """Independent errors of n equal sets shrink by the square root of n."""
    found = average("mrr", [a_row(summary)] * n)
    assert found.ci is not None
    assert summary.ci is not None
    assert summary.mean is not None
    expected = (summary.mean - summary.ci[0]) / n**0.5, (summary.ci[1] - summary.mean) / n**0.5
    assert (summary.mean - found.ci[0], found.ci[1] - summary.mean) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize("kind", ["spread", "hits", "mixed"])
def test_interval_covers_the_true_macro_mean(kind: str) -> None:
    """Over 400 draws of three sets of unequal size, 95 % intervals hold 93 to 99 % of the time."""
    rng = np.random.default_rng(7)
    sizes, chances, weights = (20, 60, 200), (0.9, 0.5, 0.3), (1.0, 1.0, 2.0)
    truth = np.average(chances, weights=weights)
    metric, held = parse_metric("mrr"), 0
    for _ in range(400):
        rows = []
        for place, (n, chance, weight) in enumerate(zip(sizes, chances, weights, strict=True)):
            values = rng.beta(4 * chance, 4 * (1 - chance), n)
            if kind == "hits" or (kind == "mixed" and place == 0):
                values = (rng.random(n) < chance).astype(np.float64)
            everyone = np.ones(n, dtype=np.bool_)
            rows.append(a_row(summarise(values, metric=metric, scorable=everyone), weight=weight))
        ci = average("mrr", rows).ci
        assert ci is not None
        held += ci[0] <= truth <= ci[1]
    assert 0.93 <= held / 400 <= 0.99


def test_there_is_no_mean_over_a_part_of_the_sets() -> None:
    """A set without a mean leaves none for the suite, and is named with its reason."""
    whole = a_row(a_summary(0.5), name="docs")
    failed, empty = a_row(None, name="faq"), a_row(a_summary(None), name="log")
    found = average("mrr", [whole, failed, empty])
    assert (found.mean, found.ci, found.sets) == (None, None, 1)
    assert found.reason == "no mean of faq: no_answers; log: no_scorable_query"
    other = average_rows([whole, a_row(a_summary(0.25), name="faq")])
    assert other.keys() == {"mrr"}
    assert average("map", [whole]).reason == "no mean of docs: not measured"


def test_there_is_no_interval_where_a_set_has_none() -> None:
    """The mean stands without one, and says why."""
    lone = MetricSummary(
        mean=1.0, n=1, sd=None, ci=None, level=LEVEL, method="none", bounds=None, reason="too_few"
    )
    found = average("mrr", [a_row(a_summary(0.5)), a_row(lone)])
    assert (found.mean, found.ci, found.reason) == (0.75, None, "too_few")


def test_counts_are_added_by_name() -> None:
    """Numbers add up, and failures by code; nothing adds up to zeros."""
    one = Counts(
        planned=3,
        ok=1,
        ok_empty=0,
        failed=2,
        skipped=0,
        unscorable=1,
        duplicate_hits=0,
        failed_by_code={"timeout": 1, "reset": 1},
    )
    both = add_counts([one, one])
    assert (both.planned, both.ok, both.failed, both.unscorable) == (6, 2, 4, 2)
    assert both.failed_by_code == {"reset": 2, "timeout": 2}
    assert add_counts([]).planned == 0
