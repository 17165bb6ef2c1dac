"""Pictures of what queries gained and lost."""

from reteval.contract.comparisons import Mover
from service.pages.charts.drawing import draw_one
from service.pages.charts.moves import MOST, plot_moves, plot_tally
from tests.unit.reteval.decisions import a_comparison_report


def moved(name: str, difference: float) -> Mover:
    """Return a move."""
    return Mover(query_id=name, query=name, baseline=0, candidate=difference, difference=difference)


def test_bars_begin_with_the_greatest_loss() -> None:
    """Losses stand at the left, gains at the right, and each leads to its query on our own site."""
    moves = [moved("up", 0.5), moved("down", -1.0), moved('"<b>', 0.0)]
    chart = plot_moves(moves, metric="mrr", address=lambda name: f"/q/{len(name)}")
    assert [row[0] for row in chart.rows] == ["down", '"<b>', "up"]
    svg = draw_one(chart).svg
    assert 'href="/q/4"' in svg
    assert "invalid" not in svg
    assert "<b>" not in svg


def test_only_the_ends_of_many_are_drawn() -> None:
    """Of more bars than fit, the largest losses and gains are drawn, and that is told."""
    moves = [moved(f"q{n:03}", n - 150.5) for n in range(301)]
    chart = plot_moves(moves, metric="mrr", address=lambda name: f"/{name}")
    drawn = [bar["difference"] for bar in chart.spec["data"]["values"]]
    assert len(drawn) == MOST
    assert (drawn[0], drawn[99], drawn[100], drawn[-1]) == (-150.5, -51.5, 50.5, 149.5)
    assert "Of 301 queries the 100 at each end." in chart.about


def test_tally_counts_each_metric() -> None:
    """Wins, ties and losses of a metric stand in one bar; what is none has no label."""
    chart = plot_tally(a_comparison_report())
    assert chart.rows[0] == ("recall@5", 10, 29, 10)
    labels = [bar["label"] for bar in chart.spec["data"]["values"]]
    assert labels[:3] == ["▲ 10", "= 29", "▼ 10"]
