"""Forest plots."""

from reteval.contract.adversarial import Drop, Worst
from reteval.contract.comparisons import Verdict
from service.pages.charts.drawing import draw_one
from service.pages.charts.forests import MOST, plot_kinds, plot_metrics, sort_kinds
from tests.unit.reteval.decisions import a_comparison_report, a_difference, a_metric
from tests.unit.reteval.documents import a_kind, an_adversarial_report

UNKNOWN = Drop(mean=None, ci=None, method="t", level=0.95, reason="no_applicable_query")


def test_metrics_stand_beside_the_margin() -> None:
    """Each metric has a mark and a line, over a band as wide as the margin; it can be drawn."""
    chart = plot_metrics(a_comparison_report(margin=0.03))
    names = [row["name"] for row in chart.spec["data"]["values"]]
    assert names == ["recall@5", "mrr"]
    band = chart.spec["layer"][0]["data"]["values"]
    assert band == [{"low": -0.03, "high": 0.03}]
    assert chart.rows[0] == ("recall@5", -0.01, -0.03, 0.01, 49, 0.6, "inconclusive")
    svg = draw_one(chart).svg
    assert "recall@5" in svg
    assert "var(--ink)" in svg


def test_row_without_a_mean_is_in_the_numbers_alone() -> None:
    """What could not be measured has no place on the axis, and is told."""
    metrics = {"mrr": a_metric(a_difference(None, None)), "map": a_metric()}
    chart = plot_metrics(a_comparison_report(metrics=metrics))
    assert [row["name"] for row in chart.spec["data"]["values"]] == ["map"]
    assert "1 more are in the numbers alone" in chart.about
    assert len(chart.rows) == 2


def test_mean_without_an_interval_is_a_mark_without_a_line() -> None:
    """Where nothing varies there is no interval: its line has no length."""
    metrics = {"mrr": a_metric(a_difference(0.1, None))}
    row = plot_metrics(a_comparison_report(metrics=metrics)).spec["data"]["values"][0]
    assert (row["low"], row["mean"], row["high"]) == (0.1, 0.1, 0.1)


def test_kinds_stand_by_family_the_costliest_first() -> None:
    """Families keep the order of the report; a kind that was not run comes last in its own."""
    kinds = (
        a_kind(kind="a", family="one", drop=UNKNOWN),
        a_kind(kind="b", family="two"),
        a_kind(kind="c", family="one", drop=Drop(mean=0.0, ci=None, method="t", level=0.95)),
        a_kind(kind="d", family="one"),
    )
    found = sort_kinds(an_adversarial_report(kinds=kinds))
    assert [kind.kind for kind in found] == ["d", "c", "a", "b"]


def test_kind_names_what_its_drop_is_of() -> None:
    """Where labels reduce, another metric is read, and its name stands in the row."""
    kind = a_kind(labels="reducing", headline="recall@10", worst_case=Worst(variant=None, of=0))
    chart = plot_kinds(an_adversarial_report(kinds=(kind,)))
    row = chart.spec["data"]["values"][0]
    assert row["note"].endswith("recall@10")
    assert row["name"] == "character: typo.mixed · 1"
    assert "asking the same again: 0.000 to 0.000" in chart.about


def test_kinds_without_a_control_have_no_band() -> None:
    """Nothing is drawn for noise that nobody measured."""
    chart = plot_kinds(an_adversarial_report(control=None))
    assert "No control was run." in chart.about
    assert all(layer["mark"]["type"] != "rect" for layer in chart.spec["layer"])


def test_many_rows_are_cut_and_that_is_told() -> None:
    """A picture stays readable: what is too much for it is in the numbers."""
    metrics = {f"recall@{k}": a_metric() for k in range(1, MOST + 3)}
    chart = plot_metrics(a_comparison_report(metrics=metrics, verdict=Verdict.WORSE))
    assert len(chart.spec["data"]["values"]) == MOST
    assert "2 more are in the numbers alone" in chart.about
