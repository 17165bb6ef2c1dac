"""How queries moved between two runs."""

import math

from service.core.moves import Asked, pair


def test_greatest_move_comes_first() -> None:
    """Queries of both runs are ordered by the size of their move, then by id."""
    baseline = {name: Asked(name, 0.5) for name in ("c", "b", "a")}
    candidate = {"a": Asked("a", 0.5), "b": Asked("b", 0.0), "c": Asked("c", 1.0)}
    found = [(move.query_id, move.difference) for move in pair(baseline, candidate)]
    assert found == [("b", -0.5), ("c", 0.5), ("a", 0.0)]


def test_queries_without_two_values_of_one_text_are_left_out() -> None:
    """Another text, no value, or no such query in the other run: not a move."""
    baseline = {
        "other text": Asked("x", 1.0),
        "no value": Asked("same", math.nan),
        "alone": Asked("same", 1.0),
    }
    candidate = {"other text": Asked("y", 1.0), "no value": Asked("same", 1.0)}
    assert pair(baseline, candidate) == []
