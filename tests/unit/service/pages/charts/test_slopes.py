"""Pictures of two rankings side by side."""

from service.pages.charts.drawing import draw_one
from service.pages.charts.slopes import MOST, plot_lists
from service.pages.rankings import Hit, Ranked


def ranked(*ids: str, relevant: str = "a") -> Ranked:
    """Return a ranking in which one document is relevant, and `x` is not judged."""
    seen: set[str] = set()
    hits = []
    for rank, name in enumerate(ids, start=1):
        grade = None if name == "x" else 2 if name == relevant else 0
        hits.append(
            Hit(rank=rank, id=name, grade=grade, relevant=name == relevant, repeat=name in seen)
        )
        seen.add(name)
    return Ranked(hits=tuple(hits), missing=(), relevant=1, judged=2)


def test_lines_join_what_both_lists_have() -> None:
    """A line goes from place to place and knows its way; what is in one list alone has none."""
    chart = plot_lists(ranked("x", "a", "b", "old"), ranked("a", "x", "b", "new"))
    lines = chart.spec["layer"][0]["data"]["values"]
    found = {(line["left"], line["right"], line["way"], line["relevant"]) for line in lines}
    assert found == {
        (1, 2, "fell", False),
        (2, 1, "rose", True),
        (3, 3, "stayed", False),
    }
    assert ("a", 2, 2, 1, 1) in chart.rows
    assert ("new", 0, None, 4, None) in chart.rows
    svg = draw_one(chart).svg
    assert "●2" in svg
    assert "?" in svg


def test_repeat_keeps_its_place_and_gets_no_second_line() -> None:
    """A document counts where it stood first."""
    chart = plot_lists(ranked("a", "b", "a"), ranked("b", "a"))
    assert len(chart.spec["layer"][0]["data"]["values"]) == 2
    assert len(chart.spec["layer"][1]["data"]["values"]) == 3


def test_long_lists_are_cut_and_long_names_shortened() -> None:
    """The picture holds the first places, and a name as much as it can."""
    chart = plot_lists(ranked(*(f"{n}-{'y' * 60}" for n in range(MOST + 5))), ranked())
    labels = chart.spec["layer"][1]["data"]["values"]
    assert len(labels) == MOST
    assert len(labels[0]["text"]) < 40
    assert f"The first {MOST} of {MOST + 5} places." in chart.about
    assert chart.spec["layer"][0]["data"]["values"] == []
