"""Difficulty from earlier runs: how many it takes, tertiles, ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.slices import EASY, HARD, LEAST_PAST_RUNS, MEDIUM
from worker.pipeline.difficulty import rate_difficulty


def runs(means: list[float], n: int = 3) -> list[dict[str, float]]:
    """Return so many equal runs over queries with these values."""
    return [{f"q{place}": value for place, value in enumerate(means)}] * n


def test_too_few_runs_rate_nothing_and_say_so() -> None:
    """Below three runs there is no slice, and the reason counts the runs."""
    for n in range(LEAST_PAST_RUNS):
        found = rate_difficulty("mrr", runs([0.0, 0.5, 1.0], n))
        assert not found.names
        assert found.about == f"absent: {n} earlier runs with mrr, at least 3 are needed"


def test_thirds_are_by_the_mean_over_runs() -> None:
    """The mean of a query over its runs decides, not one of them."""
    past = [{"a": 1.0, "b": 0.5, "c": 0.0}, {"a": 0.0, "b": 0.5, "c": 0.1}] * 2
    past[1] = {"a": 1.0, "b": 0.5, "c": 0.0}
    found = rate_difficulty("mrr", past)
    assert found.names == {"a": EASY, "b": MEDIUM, "c": HARD}
    assert found.about.startswith("from 4 earlier runs with mrr; tertiles 0.")


def test_a_query_needs_values_in_three_runs() -> None:
    """One that was asked in two runs has no difficulty; where all are such, it is told."""
    known = runs([0.0, 0.5, 1.0])
    seldom = [{**run, **({"rare": 1.0} if place else {})} for place, run in enumerate(known)]
    assert "rare" not in rate_difficulty("mrr", seldom).names
    scattered = [{f"only-{place}": 1.0} for place in range(3)]
    found = rate_difficulty("mrr", scattered)
    assert (found.names, "no query has a value in 3" in found.about) == ({}, True)


def test_ties_are_not_told_apart() -> None:
    """Where most queries are perfect, the perfect ones are alike, and the others hard."""
    found = rate_difficulty("mrr", runs([1.0] * 8 + [0.0, 0.5]))
    assert [found.names[f"q{place}"] for place in range(10)] == [MEDIUM] * 8 + [HARD] * 2
    assert set(rate_difficulty("mrr", runs([0.5] * 6)).names.values()) == {MEDIUM}


@given(st.lists(st.sampled_from(np.linspace(0, 1, 7).tolist()), min_size=1, max_size=60))
def test_difficulty_follows_the_mean(means: list[float]) -> None:
    """Equal means have one difficulty, a lower mean never an easier one."""
    names = rate_difficulty("mrr", runs(means)).names
    order = [HARD, MEDIUM, EASY]
    rated = sorted((value, order.index(names[f"q{n}"])) for n, value in enumerate(means))
    assert len({value for value, _ in rated}) == len(set(rated))
    assert [place for _, place in rated] == sorted(place for _, place in rated)
