"""What is held of a query's pairs: chances of the grades, by whoever of them knows best."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reteval.contract.pools import PooledPair
from reteval.contract.votes import RaterKind, Vote
from worker.judging.calibration import Calibration
from worker.judging.uncertainty import share_votes

Chances = dict[str, list[float]]


def find_chances(vote: Vote, *, scale_max: int) -> list[float]:
    """Return the chance of each grade: the model's own, else by its votes."""
    if vote.probs is not None and len(vote.probs) == scale_max + 1:
        return list(vote.probs)
    counts = np.bincount([cast.grade for cast in vote.casts], minlength=scale_max + 1)
    return list(map(float, share_votes(counts[None, :].astype(np.int64))[0]))


def find_last(votes: Iterable[Vote], rater: str) -> dict[str, Vote]:
    """Return the last vote of a judge on each document."""
    return {
        vote.doc_id: vote for vote in votes if vote.kind is RaterKind.LLM and vote.rater == rater
    }


def find_people(votes: Iterable[Vote]) -> dict[str, Vote]:
    """Return the last vote of people on each document."""
    return {vote.doc_id: vote for vote in votes if vote.kind is RaterKind.HUMAN}


def believe(
    pairs: Sequence[PooledPair],
    judged: Mapping[str, Vote],
    people: Mapping[str, Vote],
    *,
    scale_max: int,
    calibration: Calibration | None = None,
) -> Chances:
    """Return chances of the grades of each pair that anybody graded, in the order of the pairs.

    What a person says is certain, also that there is no grade. A judge's chances are calibrated,
    where there is anything to calibrate by; a grade of the set counts where it did not look.
    """
    chances: Chances = {}
    for pair in pairs:
        person, vote = people.get(pair.doc_id), judged.get(pair.doc_id)
        if person is not None:
            if person.grade is not None:
                chances[pair.doc_id] = _be_sure(person.grade, scale_max)
        elif vote is not None and vote.grade is not None:
            own = find_chances(vote, scale_max=scale_max)
            chances[pair.doc_id] = _calibrate(own, calibration)
        elif pair.known is not None:
            chances[pair.doc_id] = _be_sure(pair.known, scale_max)
    return chances


def list_ranks(pairs: Sequence[PooledPair], configs: Sequence[str]) -> NDArray[np.int64]:
    """Return where each configuration ranks each pair, 0 where it does not."""
    places = {config: place for place, config in enumerate(configs)}
    ranks = np.zeros((len(configs), len(pairs)), dtype=np.int64)
    for place, pair in enumerate(pairs):
        for sighting in pair.found:
            ranks[places[sighting.config], place] = sighting.rank
    return ranks


def list_configs(pairs: Iterable[PooledPair]) -> list[str]:
    """Return the names of the configurations that returned any of the pairs."""
    return sorted({sighting.config for pair in pairs for sighting in pair.found})


def _be_sure(grade: int, scale_max: int) -> list[float]:
    sure = min(max(grade, 0), scale_max)
    return [float(one == sure) for one in range(scale_max + 1)]


def _calibrate(chances: list[float], calibration: Calibration | None) -> list[float]:
    if calibration is None:
        return chances
    return list(map(float, calibration.apply(np.array([chances]))[0]))
