"""Agreement of two rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.metrics.overlap import jaccard, rbo, rbo_each, top1_same

LISTS = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)
REPEATING = st.lists(st.sampled_from("abcde"), max_size=10)


def plain_rbo(a: list[str], b: list[str], p: float) -> float:
    """Sum the agreement of equation 32's assumption over two thousand depths."""
    if len(a) > len(b):
        a, b = b, a
    short, long = len(a), len(b)
    at_short = len(set(a) & set(b[:short]))
    total = 0.0
    for d in range(1, 2_001):
        seen = len(set(a[:d]) & set(b[:d]))
        if d <= short:
            agreement = seen / d
        elif d <= long:
            agreement = (seen + at_short * (d - short) / short) / d
        else:
            agreement = (len(set(a) & set(b)) - at_short) / long + at_short / short
        total += (1 - p) * p ** (d - 1) * agreement
    return total


@given(LISTS.filter(bool), LISTS.filter(bool), st.sampled_from([0.5, 0.8, 0.9, 0.98]))
def test_rbo_equals_its_infinite_sum(a: list[str], b: list[str], p: float) -> None:
    """The closed form is the sum it stands for, for lists of any two lengths."""
    assert rbo(a, b, p=p) == pytest.approx(plain_rbo(a, b, p), abs=1e-9)


@given(REPEATING, REPEATING)
def test_rbo_is_symmetric_and_bounded(a: list[str], b: list[str]) -> None:
    """Order of arguments is irrelevant; a list agrees fully with itself, repeats or not."""
    assert rbo(a, b) == rbo(b, a)
    assert 0.0 <= rbo(a, b) <= 1.0
    assert rbo(a, a) == pytest.approx(1.0)


@given(st.lists(st.tuples(REPEATING | LISTS, REPEATING | LISTS), max_size=20))
def test_many_pairs_are_worth_what_each_is_by_itself(pairs: list[tuple[list[str], ...]]) -> None:
    """To the last bit, whatever lengths come together."""
    each = [rbo(a, b) for a, b in pairs]
    assert rbo_each([(a, b) for a, b in pairs]).tolist() == each


def test_rbo_of_a_hand_case() -> None:
    """Agreements 1, 1/2, 1, 1, ... at p = 0.5 sum to 0.875."""
    assert rbo("abc", "acb", p=0.5) == pytest.approx(0.875)


def test_overlap_of_empty_lists() -> None:
    """Two empty lists are the same list; an empty one shares nothing with another."""
    assert (rbo([], []), jaccard([], [], k=5), top1_same([], [])) == (1.0, 1.0, True)
    assert (rbo([], ["a"]), jaccard(["a"], [], k=5), top1_same([], ["a"])) == (0.0, 0.0, False)


def test_rbo_refuses_a_persistence_of_one() -> None:
    """At p = 1 no depth would ever count."""
    with pytest.raises(ValueError, match="p is 1"):
        rbo(["a"], ["a"], p=1)


def test_jaccard_counts_the_top_k() -> None:
    """Documents behind k are not looked at."""
    assert jaccard(["a", "b", "c"], ["b", "d", "c"], k=2) == 1 / 3


def test_top1_same_compares_sequences_of_any_kind() -> None:
    """A tuple and a list with the same head agree."""
    assert top1_same(("a", "b"), ["a"])
    assert not top1_same(["a", "b"], ["b", "a"])
