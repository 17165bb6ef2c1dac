"""Sparklines of series of runs."""

from service.pages.charts.drawing import draw_one
from service.pages.charts.sparklines import MOST, Series, sketch
from tests.unit.service.pages.markup import HOSTILE, read


def test_series_are_drawn_under_their_names() -> None:
    """A name is text in the picture."""
    series = [Series(name=HOSTILE[:30], means=(0.1, 0.9))]
    assert HOSTILE[:30] in read(draw_one(sketch(series)).svg).text


def test_few_series_are_drawn_and_the_rest_counted() -> None:
    """The first ones are in the chart, and it says how many are not."""
    series = tuple(Series(name=f"s{n}", means=(0.1, 0.2)) for n in range(MOST + 3))
    chart = sketch(series)
    assert {row[0] for row in chart.rows} == {f"s{n}" for n in range(MOST)}
    assert "3 more are not drawn" in chart.about
