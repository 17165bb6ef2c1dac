"""One grade out of several raters', by a rule that has a name."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from reteval.contract.imports import Consensus

Ballot = tuple[str, int]
"""A rater and the grade given, in the order of the file."""


def settle(rule: Consensus, ballots: Sequence[Ballot], models: frozenset[str]) -> int:
    """Return the grade that counts."""
    return _RULES[rule](ballots, models)


def _median(ballots: Sequence[Ballot], _: frozenset[str]) -> int:
    grades = sorted(grade for _, grade in ballots)
    return grades[(len(grades) - 1) // 2]


def _majority_then_min(ballots: Sequence[Ballot], _: frozenset[str]) -> int:
    (grade, votes), *_rest = Counter(grade for _, grade in ballots).most_common()
    return grade if 2 * votes > len(ballots) else min(grade for _, grade in ballots)


def _mean_rounded(ballots: Sequence[Ballot], _: frozenset[str]) -> int:
    total, count = sum(grade for _, grade in ballots), len(ballots)
    return (2 * total + count) // (2 * count)  # halves go up, also those of negative grades


def _human_last(ballots: Sequence[Ballot], models: frozenset[str]) -> int:
    people = [grade for rater, grade in ballots if rater not in models]
    return people[-1] if people else ballots[-1][1]


_RULES: Final[dict[Consensus, Callable[[Sequence[Ballot], frozenset[str]], int]]] = {
    Consensus.MEDIAN: _median,
    Consensus.MAJORITY_THEN_MIN: _majority_then_min,
    Consensus.MEAN_ROUNDED: _mean_rounded,
    Consensus.HUMAN_LAST: _human_last,
}
