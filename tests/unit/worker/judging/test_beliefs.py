"""Whose word counts about a pair: people's, the judge's calibrated chances, the set's."""

import numpy as np
import pytest

from reteval.contract.pools import PooledPair, Sighting
from reteval.contract.votes import Cast, RaterKind, Vote
from worker.judging.beliefs import (
    believe,
    find_chances,
    find_last,
    find_people,
    list_configs,
    list_ranks,
)
from worker.judging.calibration import Calibration


def vote(*grades: int, probs: tuple[float, ...] | None = None, doc_id: str = "d") -> Vote:
    """Return a judge's vote of some answers."""
    casts = tuple(Cast(grade=grade) for grade in grades)
    return Vote(
        doc_id=doc_id,
        kind=RaterKind.LLM,
        rater="m",
        at="",
        grade=grades[0],
        casts=casts,
        probs=probs,
    )


def person(grade: int | None, doc_id: str = "d") -> Vote:
    """Return what a person says; without a grade, that it cannot be told."""
    return Vote(
        doc_id=doc_id,
        kind=RaterKind.HUMAN,
        rater="ada",
        at="",
        grade=grade,
        unrateable=grade is None,
    )


def test_chances_are_the_models_own_or_smoothed_votes() -> None:
    """Three equal votes are no certainty; chances of another scale are not believed."""
    assert find_chances(vote(2, probs=(0.1, 0.1, 0.7, 0.1)), scale_max=3)[2] == 0.7
    assert find_chances(vote(2, 2, 2), scale_max=3) == pytest.approx([0.1, 0.1, 0.7, 0.1])
    assert find_chances(vote(2, 2, 2, probs=(0.5, 0.5)), scale_max=3)[2] == pytest.approx(0.7)


def test_last_votes_are_of_one_judge_or_of_anybody() -> None:
    """Another judge's votes are not this one's; of people the last to speak counts."""
    said = [vote(1), person(0), vote(3), person(2)]
    assert find_last(said, "m")["d"].grade == 3
    assert find_last(said, "other") == {}
    assert find_people(said)["d"].grade == 2


def test_people_go_before_the_judge_and_that_before_the_set() -> None:
    """A person is certain, also of there being no grade; what nobody graded is left out."""
    pairs = [PooledPair(doc_id=name, known=3) for name in "abc"]
    pairs += [PooledPair(doc_id="none"), PooledPair(doc_id="d")]
    judged = {name: vote(1, 1, 1, doc_id=name) for name in "abd"}
    people = {"a": person(0, "a"), "d": person(None)}
    found = believe(pairs, judged, people, scale_max=3)
    assert list(found) == ["a", "b", "c"]
    assert found["a"] == [1, 0, 0, 0]
    assert found["b"] == pytest.approx([0.1, 0.7, 0.1, 0.1])
    assert found["c"] == [0, 0, 0, 1]


def test_only_a_judges_chances_are_calibrated() -> None:
    """People said 0 wherever it said 3: its next 3 is believed less, the set's 3 is not."""
    often = np.tile([0.1, 0.1, 0.1, 0.7], (60, 1))
    calibration = Calibration.fit(often, np.zeros(60, dtype=np.int64))
    pairs = [PooledPair(doc_id="d"), PooledPair(doc_id="known", known=3)]
    found = believe(pairs, {"d": vote(3, 3, 3)}, {}, scale_max=3, calibration=calibration)
    assert found["d"][0] > 0.8
    assert found["known"] == [0, 0, 0, 1]


def test_ranks_by_configuration() -> None:
    """A configuration that returned nothing here has its row of zeros."""
    pairs = [PooledPair(doc_id="d", found=(Sighting("b", 2),)), PooledPair(doc_id="e")]
    assert list_configs(pairs) == ["b"]
    assert list_ranks(pairs, ["a", "b"]).tolist() == [[0, 0], [2, 0]]
