"""A whole comparison: what is reported, refused and warned of."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from reteval.contract.comparisons import ComparisonReport, Scope, Verdict
from reteval.contract.differences import ChangeCounts, Changes
from reteval.contract.metrics import UnknownMetricError
from reteval.contract.runs import TestSetRef
from tests.unit.worker.comparison.views import FAILED, compare_values, judge, view
from worker.comparison.runs import IncomparableError, RunView

RNG = np.random.default_rng(3)
BEFORE = [float(value) for value in RNG.uniform(0.3, 0.7, 60)]
GAINS = [float(value) for value in RNG.normal(0.1, 0.1, 60)]
AFTER = [before + gain for before, gain in zip(BEFORE, GAINS, strict=True)]
GRID = st.integers(0, 8).map(lambda eighths: eighths / 8)


def codes(report: ComparisonReport) -> list[str]:
    """The codes of a report's warnings."""
    return [warning.partition(": ")[0] for warning in report.warnings]


def test_a_clear_gain_is_better() -> None:
    """Every part of the report speaks of the same 60 queries."""
    report = compare_values(BEFORE, AFTER)
    result = report.metrics["ndcg@10"]
    assert (report.verdict, report.primary, report.n_common) == (Verdict.BETTER, "ndcg@10", 60)
    assert (report.dropped, codes(report)) == ({}, [])
    assert result.difference.mean == pytest.approx(np.mean(GAINS))
    assert result.difference.sd == pytest.approx(np.std(GAINS, ddof=1))
    assert result.effect == pytest.approx(np.mean(GAINS) / np.std(GAINS, ddof=1))
    assert result.candidate == pytest.approx(np.mean(AFTER))
    assert result.wins + result.ties + result.losses == 60
    assert result.significance.flips == 10_000
    assert report.sentence == (
        "Better: ndcg@10 rose by 0.098, from 0.501 to 0.599 "
        "(95 % interval +0.070 to +0.126, p < 0.001, 60 queries)."
    )
    assert (report.seed, report.margin, report.alpha) == (5, 0.02, 0.05)
    assert report.definitions["tie"] == 1e-9


def test_a_report_survives_the_wire() -> None:
    """It encodes without NaN and decodes to itself."""
    report = compare_values([*BEFORE, 0.5], [*AFTER, 0.5])
    assert msgspec.json.decode(msgspec.json.encode(report), type=ComparisonReport) == report


@given(st.lists(st.tuples(GRID, GRID), min_size=1, max_size=30))
@settings(max_examples=60)
def test_swapped_sides_mirror_the_report(values: list[tuple[float, float]]) -> None:
    """Differences and verdict turn around; p, power and overlap stay."""
    before, after = zip(*values, strict=True)
    there, back = compare_values(before, after), compare_values(after, before)
    turned = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    one, other = there.metrics["ndcg@10"], back.metrics["ndcg@10"]
    assert one.difference.mean is not None
    assert other.difference.mean == pytest.approx(-one.difference.mean, abs=1e-15)
    assert other.significance == one.significance
    assert other.power.detectable == one.power.detectable
    assert (other.wins, other.losses) == (one.losses, one.wins)
    assert back.overlap.rbo == pytest.approx(there.overlap.rbo)


def test_failed_queries_are_dropped_and_counted() -> None:
    """Only queries answered in both count, and too many failures forbid a verdict."""
    before = [*BEFORE, FAILED, 0.5, FAILED, 0.5, 0.5]
    after = [*AFTER, 0.5, FAILED, FAILED, FAILED, 0.5]
    report = judge(view("a", before), view("b", after))
    assert report.dropped == {
        "failed_in_baseline": 1,
        "failed_in_both": 1,
        "failed_in_candidate": 2,
    }
    assert (report.n_common, report.verdict) == (61, Verdict.INCONCLUSIVE)
    assert codes(report) == ["low_overlap"]
    assert report.metrics["ndcg@10"].reason == "low_overlap"
    assert "Retry the failed requests" in report.sentence


def test_few_failures_allow_a_verdict() -> None:
    """At 95 % answered in both, the answered ones decide."""
    report = judge(view("a", [*BEFORE, 0.5]), view("b", [*AFTER, FAILED]))
    assert (report.verdict, report.dropped) == (Verdict.BETTER, {"failed_in_candidate": 1})


def test_other_test_sets_need_an_intersection() -> None:
    """The error names the field to add; with it, ids must name the same text."""
    ids = [f"q{place}" for place in range(60)]
    a = view(
        "a", BEFORE, query_ids=[*ids[:58], "only a", "changed"], texts=[*ids, "only a", "old"][2:]
    )
    b = view(
        "b",
        AFTER,
        query_ids=[*ids[:58], "only b", "changed"],
        texts=[*ids, "only b", "new"][2:],
        test_set="two",
    )
    with pytest.raises(IncomparableError, match='"on": "intersection"'):
        judge(a, b)
    report = judge(a, b, on=Scope.INTERSECTION)
    assert report.n_common == 58
    assert report.dropped == {"only_in_baseline": 1, "only_in_candidate": 1, "other_text": 1}
    assert (report.verdict, codes(report)) == (Verdict.BETTER, ["other_test_set"])


def test_other_versions_are_told_apart() -> None:
    """The warning counts what differs and names the rescoring; without counts, the versions."""
    changes = Changes(
        queries=ChangeCounts(added=1, changed=2),
        judgments=ChangeCounts(added=12, removed=3, changed=4),
        head=("scale", "relevant_from"),
        reordered=True,
    )
    a, b = (on_version(view("a", BEFORE), 1), on_version(view("b", AFTER), 2))
    report = judge(a, b, on=Scope.INTERSECTION, changes=changes)
    assert report.test_set_changes == changes
    (warning,) = report.warnings
    assert "'docs' version 1 and 'docs' version 2 (queries 1 added, 0 removed, 2 ch" in warning
    assert "judgments 12 added, 3 removed, 4 changed; scale and relevant_from changed" in warning
    assert "; queries reordered)" in warning
    assert "`reteval rescore a --test-set ts_2`" in warning
    (back,) = judge(b, a, on=Scope.INTERSECTION).warnings
    assert "'docs' version 2 and 'docs' version 1; the 60 queries they share" in back
    assert "`reteval rescore a --test-set ts_2`" in back


def on_version(run: RunView, version: int) -> RunView:
    """Return a run that was scored on a version of one name."""
    content = f"content {version}"
    pinned = TestSetRef(id=f"ts_{version}", name="docs", version=version, hash=content)
    side = structs.replace(run.side, test_set=pinned)
    return structs.replace(run, hash=content, side=side)


def test_identical_runs_do_not_change() -> None:
    """The same rankings, even of five queries, are no change, with a warning."""
    values, rankings = [0.5, 0.1, 0.9, 1.0, 0.0], [["x", "y"]] * 5
    report = judge(view("a", values, rankings=rankings), view("b", values, rankings=rankings))
    assert (report.verdict, codes(report)) == (Verdict.NO_CHANGE, ["identical_runs", "few_queries"])
    assert report.metrics["ndcg@10"].reason == "identical_runs"
    assert "same rankings" in report.sentence
    assert (report.overlap.identical, report.movers) == (1.0, ())


def test_equal_values_of_other_rankings() -> None:
    """Enough equal queries are no change; a handful proves nothing."""
    many, few = compare_values([0.5] * 50, [0.5] * 50), compare_values([0.5] * 5, [0.5] * 5)
    assert (many.verdict, few.verdict) == (Verdict.NO_CHANGE, Verdict.INCONCLUSIVE)
    result = many.metrics["ndcg@10"]
    assert (result.difference.ci, result.reason, result.effect) == (None, "no_variation", None)
    assert (result.significance.p, result.ties, result.power.detectable) == (1.0, 50, None)
    assert (result.power.reason, many.overlap.identical) == ("no_variation", 0.0)
    assert many.sentence == "No change: ndcg@10 moved by +0.000 for each of 50 queries."


def test_equal_gains_are_judged_by_the_flips() -> None:
    """Ten queries that all gain the same have no interval, and still one direction."""
    report = compare_values([0.25] * 10, [0.5] * 10)
    result = report.metrics["ndcg@10"]
    assert (report.verdict, result.difference.ci) == (Verdict.BETTER, None)
    assert (result.significance.p, result.significance.exact) == (2 / 1024, True)
    assert report.sentence.endswith("from 0.250 to 0.500 (p = 0.002, 10 queries).")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [([0.5], [0.7], "too_few"), ([FAILED], [0.7], "low_overlap"), ([], [], "no_common_query")],
)
def test_too_little_to_compare(
    before: list[float | None], after: list[float | None], reason: str
) -> None:
    """No query, one query: numbers are null with a reason, the verdict is inconclusive."""
    report = judge(view("a", before), view("b", after))
    result = report.metrics["ndcg@10"]
    assert (report.verdict, result.reason) == (Verdict.INCONCLUSIVE, reason)
    assert (result.difference.ci, result.significance.p, result.power.detectable) == (None,) * 3
    assert isinstance(result.difference.reason, str)
    assert result.significance.reason == result.power.reason == result.difference.reason
    assert report.sentence.startswith("Can't tell: ")


def test_a_query_without_a_value_is_no_pair() -> None:
    """NaN in both runs drops it, NaN in one of two metrics drops it from that metric only."""
    nan = float("nan")
    a = view("a", [1, 1, 1], columns={"judged@5": [nan, 0.5, 0.5], "mrr": [nan, 0.0, 1.0]})
    b = view("b", [1, 1, 1], columns={"judged@5": [nan, nan, 0.5], "mrr": [nan, 0.0, 0.5]})
    report = judge(a, b)
    assert (report.primary, report.n_common, report.dropped) == ("mrr", 2, {"no_value": 1})
    assert {name: result.n for name, result in report.metrics.items()} == {"judged@5": 1, "mrr": 2}


def test_metrics_are_those_of_both_runs() -> None:
    """By default all common ones; ndcg@10 decides where it is there, else mrr, else the first."""
    a = view("a", [1], columns={"recall@5": [1], "mrr": [1], "map": [1]})
    b = view("b", [1], columns={"map": [1], "recall@5": [1], "mrr": [1], "ndcg@10": [1]})
    report = judge(a, b)
    assert (list(report.metrics), report.primary) == (["recall@5", "mrr", "map"], "mrr")
    assert judge(a, b, metrics=("recall@5", "map")).primary == "recall@5"


def test_metrics_are_chosen_by_any_spelling() -> None:
    """Aliases are read, the primary joins, each is compared once."""
    a = view("a", [1], columns={"recall@5": [1], "mrr": [1]})
    report = judge(a, a, primary="RR", metrics=("R@5", "recall@5"))
    assert (list(report.metrics), report.primary) == (["mrr", "recall@5"], "mrr")


def test_metrics_that_are_not_there_are_refused() -> None:
    """The message lists what both runs have, or says that they have nothing."""
    a, b = view("a", [1], columns={"mrr": [1]}), view("b", [1], columns={"map": [1]})
    with pytest.raises(IncomparableError, match=r"'map' is not in both runs, which have mrr"):
        judge(a, a, metrics=("map",))
    with pytest.raises(IncomparableError, match="no metric in common"):
        judge(a, b)
    with pytest.raises(IncomparableError, match="which have none in common"):
        judge(a, b, primary="map")
    with pytest.raises(UnknownMetricError):
        judge(a, a, metrics=("nonsense",))


def test_clusters_count_once() -> None:
    """Forty rewordings of one need are one observation, and others stay their own."""
    clusters = ["reset"] * 40 + [""] * 20
    before, after = [0.5] * 60, [0.9] * 40 + [0.5] * 20
    a, b = (
        structs.replace(each, clusters=clusters) for each in (view("a", before), view("b", after))
    )
    result = judge(a, b).metrics["ndcg@10"]
    assert (result.n, result.units, result.wins, result.ties) == (60, 21, 1, 20)
    assert result.difference.mean == pytest.approx(0.4 / 21)
    assert (result.verdict, result.significance.exact) == (Verdict.INCONCLUSIVE, True)
    assert "21 clusters" in result.power.sentence


def test_other_depths_spare_metrics_with_a_cut_off() -> None:
    """The mrr of ten and of a hundred documents is not one metric; recall@5 is."""
    a = view("a", BEFORE, columns={"recall@5": BEFORE, "mrr": BEFORE})
    b = view("b", AFTER, columns={"recall@5": AFTER, "mrr": AFTER})
    report = judge(a, structs.replace(b, depth=100))
    assert codes(report) == ["other_depth"]
    assert report.metrics["recall@5"].verdict == Verdict.BETTER
    assert (report.metrics["mrr"].verdict, report.metrics["mrr"].reason) == (
        Verdict.INCONCLUSIVE,
        "other_depth",
    )
    assert "different depth" in report.sentence


def test_other_thresholds_forbid_a_verdict() -> None:
    """What counts as relevant must be the same in both."""
    report = judge(view("a", BEFORE), structs.replace(view("b", AFTER), relevant_from=2))
    assert (report.verdict, codes(report)) == (Verdict.INCONCLUSIVE, ["other_threshold"])


def test_many_queries_are_warned_of() -> None:
    """Above 2,000 queries significance is cheap; the margin still decides."""
    small = np.random.default_rng(0).normal(0.005, 0.05, 2_001)
    report = compare_values([0.5] * 2_001, 0.5 + small)
    assert (report.verdict, codes(report)) == (Verdict.NO_CHANGE, ["many_queries"])
    assert report.metrics["ndcg@10"].significance.p_holm == pytest.approx(1e-4, abs=1e-3)
    assert "lies within ±0.02" in report.sentence


def test_what_holm_takes_is_said() -> None:
    """A metric that differs alone but not among many says what to do about it."""
    rng = np.random.default_rng(1)
    moved = 0.5 + rng.normal(0.065, 0.2, 50)
    noise = {f"recall@{k}": list(0.5 + rng.normal(0, 0.2, 50)) for k in range(1, 9)}
    a = view("a", [1] * 50, columns={name: [0.5] * 50 for name in ("ndcg@10", *noise)})
    b = view("b", [1] * 50, columns={"ndcg@10": list(moved), **noise})
    alone, among = judge(a, b, metrics=("ndcg@10",)), judge(a, b)
    assert (alone.verdict, among.verdict) == (Verdict.BETTER, Verdict.INCONCLUSIVE)
    assert "9 metrics were tested at once" in among.sentence


def test_a_comparison_repeats_itself() -> None:
    """Same columns and seed, same report; nothing depends on a clock or on hidden state."""
    assert compare_values(BEFORE, AFTER) == compare_values(BEFORE, AFTER)
