"""Curves over cut-offs."""

import xml.etree.ElementTree as ET

from service.pages.charts import curves
from service.pages.charts.drawing import draw_one
from tests.unit.reteval.documents import a_summary


def test_curve_goes_over_the_cut_offs_of_its_family() -> None:
    """Points are in the order of k; other families, parameters and undefined means have none."""
    metrics = {
        "recall@10": a_summary(0.9, ci=None),
        "recall@1": a_summary(0.1, ci=(0.0, 0.2)),
        "recall@3": a_summary(None),
        "recall(rel=2)@5": a_summary(),
        "ndcg@5": a_summary(),
        "mrr": a_summary(),
    }
    chart = curves.trace("recall", metrics)
    assert chart is not None
    assert chart.rows == ((1, 0.1, 0.0, 0.2, 49), (10, 0.9, None, None, 49))
    drawing = draw_one(chart)
    ET.fromstring(str(drawing.svg))  # noqa: S314 - made here
    assert "recall@k" in drawing.svg


def test_one_point_is_no_curve() -> None:
    """A single cut-off is not drawn."""
    assert curves.trace("recall", {"recall@1": a_summary()}) is None
