"""Heat maps of kinds."""

import pytest

from reteval.contract.adversarial import Drop, WordBin
from service.pages.charts.drawing import draw_one
from service.pages.charts.heats import find_level, plot_heat
from service.pages.formatting import UNDEFINED
from tests.unit.reteval.documents import a_kind, an_adversarial_report


def words(name: str, drop: float) -> WordBin:
    """Return the drop of queries of some length."""
    return WordBin(bin=name, needs=9, drop=drop, ci=None)


def test_cells_are_kinds_by_length() -> None:
    """Columns are in the order of length whatever the report's; a cell leads to its variants."""
    kinds = (
        a_kind(by_content_words=(words("9+", -0.3), words("1-2", 0.3))),
        a_kind(kind="not.run", drop=Drop(mean=None, ci=None, method="t", level=0.95)),
    )
    chart = plot_heat(an_adversarial_report(kinds=kinds), path="/r?kind=KIND#v")
    encoding = chart.spec["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == ["all", "1-2", "9+"]
    assert chart.rows == (
        ("typo.mixed", 1, "all", 48, 0.15),
        ("typo.mixed", 1, "9+", 9, -0.3),
        ("typo.mixed", 1, "1-2", 9, 0.3),
        ("not.run", 1, "all", 48, None),
    )
    assert chart.spec["data"]["values"][-1]["text"] == UNDEFINED
    svg = draw_one(chart).svg
    assert 'href="/r?kind=typo.mixed#v"' in svg
    assert "var(--heat-up-3)" in svg
    assert "▼ +0.300 (9)" in svg


@pytest.mark.parametrize(
    ("drop", "level"),
    [(0.0, 0), (0.019, 0), (0.02, 1), (-0.02, -1), (0.1, 2), (0.25, 3), (-0.9, -3)],
)
def test_level_grows_with_the_drop(drop: float, level: int) -> None:
    """What is too small to matter looks like nothing; a gain is the mirror of a loss."""
    assert find_level(drop) == level


def test_many_kinds_are_cut_and_that_is_told() -> None:
    """All kinds are in the numbers, and as many as can be read in the picture."""
    kinds = tuple(a_kind(severity=n) for n in range(42))
    chart = plot_heat(an_adversarial_report(kinds=kinds), path="/r")
    assert len(chart.spec["data"]["values"]) == 40
    assert "2 more kinds are in the numbers alone." in chart.about
    assert len(chart.rows) == 42
