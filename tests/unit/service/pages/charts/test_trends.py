"""Pictures of trends."""

from typing import Any

from reteval.contract.history import Trend, TrendPoint, TrendSeries
from service.pages.charts.drawing import draw_one
from service.pages.charts.trends import MOST, MOST_LABELS, name_series, plot_trend


def point(day: int, label: str = "", **changes: Any) -> TrendPoint:
    """Return a run of a day of a long month."""
    told: dict[str, Any] = {
        "run": f"run_{day}",
        "label": label,
        "timestamp": f"2026-11-30T{day // 60:02}:{day % 60:02}:00.000Z",
        "status": "completed",
        "mean": 0.5,
        "ci": (0.4, 0.6),
        "n": 50,
        "depth": 10,
    }
    return TrendPoint(**{**told, **changes})


def series(*points: TrendPoint, version: int = 1, **changes: Any) -> TrendSeries:
    """Return a series of one endpoint."""
    told: dict[str, Any] = {"test_set": "ts_1", "endpoint": "http://a", "relevant_from": 1}
    return TrendSeries(version=version, points=points, **{**told, **changes})


def plot(*found: TrendSeries) -> Any:
    """Plot series of mrr."""
    return plot_trend(Trend(name="docs", metric="mrr", series=found))


def test_versions_are_never_joined() -> None:
    """Lines are by series, and where another one begins for an endpoint there is a break."""
    chart = plot(series(point(1), point(3)), series(point(4), point(5), version=2))
    values = chart.spec["data"]["values"]
    assert [value["breaks"] for value in values] == [False, False, True, False]
    line = next(one for one in chart.spec["spec"]["layer"] if one["mark"]["type"] == "line")
    assert line["encoding"]["detail"]["field"] == "series"
    svg = draw_one(chart).svg
    assert "v2, relevant from 1" in svg
    assert "var(--main)" in svg


def test_endpoints_have_panels_of_their_own() -> None:
    """Another endpoint is no break of the first; uploaded rankings have a name, too."""
    chart = plot(series(point(1)), series(point(2), endpoint=""))
    values = chart.spec["data"]["values"]
    assert [value["endpoint"] for value in values] == ["http://a", "rankings made elsewhere"]
    assert not any(value["breaks"] for value in values)
    assert chart.spec["facet"]["row"]["field"] == "endpoint"


def test_label_is_marked_where_it_changes() -> None:
    """A release is marked once; runs without a number are not drawn."""
    failed = point(3, "b", mean=None, ci=None, n=0, reason="endpoint_down")
    chart = plot(series(point(1, "a"), point(2, "a"), failed, point(4, "b"), point(5, "")))
    marked = [value["label"] for value in chart.spec["data"]["values"] if value["labelled"]]
    assert marked == ["a", "b"]


def test_newest_runs_and_labels_are_drawn() -> None:
    """Of very many the newest are in the picture, and all are in the numbers."""
    chart = plot(series(*(point(n, f"r{n}") for n in range(MOST + 10))))
    values = chart.spec["data"]["values"]
    assert len(values) == MOST
    assert sum(value["labelled"] for value in values) == MOST_LABELS
    assert values[-1]["labelled"]
    assert f"The newest {MOST} of {MOST + 10} runs." in chart.about
    assert len(chart.rows) == MOST + 10


def test_series_is_named_by_what_its_runs_share() -> None:
    """Version, split and threshold tell series of an endpoint apart."""
    assert name_series(series(version=3, split="tune", relevant_from=2)) == (
        "v3, split tune, relevant from 2"
    )
