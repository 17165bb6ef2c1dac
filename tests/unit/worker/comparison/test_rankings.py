"""How alike two runs answered, and how fast."""

import numpy as np
import pytest
from msgspec import structs

from tests.unit.worker.comparison.views import compare_values, judge, view


def test_overlap_is_averaged_over_the_pairs() -> None:
    """One list kept, one half replaced, one turned around."""
    a = view("a", [1, 1, 1], rankings=[["x", "y"], ["x", "y"], ["x", "y"]])
    b = view("b", [1, 1, 1], rankings=[["x", "y"], ["x", "z"], ["y", "x"]])
    overlap = judge(a, b).overlap
    assert overlap.jaccard == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert overlap.rbo is not None
    assert 0.5 < overlap.rbo < 1
    assert overlap.top1_same == pytest.approx(2 / 3)
    assert overlap.identical == pytest.approx(1 / 3)
    assert (overlap.n, overlap.k, overlap.p) == (3, 10, 0.9)


def test_overlap_is_over_the_common_depth() -> None:
    """A longer list that starts alike is alike as far as both were asked."""
    a = structs.replace(view("a", [1], rankings=[["x", "y"]]), depth=2)
    b = view("b", [1], rankings=[["x", "y", "z"]])
    assert judge(a, b).overlap.identical == 1.0


def test_latency_is_paired() -> None:
    """Only queries with a latency in both count; none at all says so."""
    nan = float("nan")
    a = structs.replace(view("a", [1, 1, 1]), latency_ms=np.array([10.0, 20.0, nan]))
    b = structs.replace(view("b", [1, 1, 1]), latency_ms=np.array([15.0, 21.0, 99.0]))
    latency = judge(a, b).latency
    assert (latency.n, latency.mean_difference) == (2, 3.0)
    assert (latency.baseline_p50, latency.candidate_p50) == (15.0, 18.0)
    nothing = compare_values([1], [1]).latency
    assert (nothing.n, nothing.mean_difference) == (0, None)
    assert nothing.reason == "no query was answered at the first attempt in both runs"
