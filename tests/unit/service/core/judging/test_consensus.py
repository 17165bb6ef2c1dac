"""From votes to a grade: who goes first, whose vote counts, and what each rule makes of them."""

import pytest

from reteval.contract.pools import PooledPair
from reteval.contract.votes import Consensus, PairStatus, RaterKind, Vote
from service.core.judging.consensus import Settled, settle

PAIR = PooledPair(doc_id="d")
KNOWN = PooledPair(doc_id="d", known=2)


def vote(grade: int | None, rater: str = "ada", *, llm: bool = False, doc_id: str = "d") -> Vote:
    """Return a vote; without a grade a person cannot tell, and a model has failed."""
    failed = grade is None and llm
    return Vote(
        doc_id=doc_id,
        kind=RaterKind.LLM if llm else RaterKind.HUMAN,
        rater=rater,
        at="2026-11-30T00:00:00.000Z",
        grade=grade,
        unrateable=grade is None and not llm,
        error="refusal" if failed else "",
    )


def essence(settled: Settled) -> tuple[PairStatus, int | None]:
    """Return status and grade."""
    return settled.status, settled.grade


def test_nobody_said_anything() -> None:
    """Unjudged is no grade, whatever others of the query have; known is what the set says."""
    others = [vote(3, doc_id="other")]
    assert essence(settle(PAIR, others, Consensus.MEDIAN)) == (PairStatus.UNJUDGED, None)
    assert essence(settle(KNOWN, others, Consensus.MEDIAN)) == (PairStatus.KNOWN, 2)


@pytest.mark.parametrize("rule", Consensus)
def test_people_before_the_set_before_models(rule: Consensus) -> None:
    """However late a model judged, and whatever the rule."""
    model = vote(3, "m", llm=True)
    assert essence(settle(PAIR, [vote(0), model], rule)) == (PairStatus.REVIEWED, 0)
    assert essence(settle(KNOWN, [model], rule)) == (PairStatus.KNOWN, 2)
    assert essence(settle(KNOWN, [vote(1), model], rule)) == (PairStatus.REVIEWED, 1)
    assert essence(settle(PAIR, [model], rule)) == (PairStatus.JUDGED, 3)


def test_failure_is_no_grade_and_no_failure_beside_a_grade() -> None:
    """A judge that failed leaves the pair failed; another judge's grade settles it."""
    failed = vote(None, "m", llm=True)
    assert essence(settle(PAIR, [failed], Consensus.MEDIAN)) == (PairStatus.FAILED, None)
    both = [failed, vote(1, "n", llm=True)]
    assert essence(settle(PAIR, both, Consensus.MEDIAN)) == (PairStatus.JUDGED, 1)
    mended = [failed, vote(2, "m", llm=True)]
    assert essence(settle(PAIR, mended, Consensus.HUMAN_LAST)) == (PairStatus.JUDGED, 2)


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ((1,), (1, 1, 1, 1)),
        ((0, 3), (3, 0, 0, 2)),
        ((3, 3, 0), (0, 3, 3, 2)),
        ((0, 1, 2), (2, 1, 0, 1)),
        ((0, 0, 3, 3), (3, 0, 0, 2)),
        ((1, 1, 1, 3), (3, 1, 1, 2)),
    ],
)
def test_rules(grades: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Last, lower median, majority or else the lowest, mean with halves up."""
    votes = [vote(grade, f"rater {at}") for at, grade in enumerate(grades)]
    assert tuple(settle(PAIR, votes, rule).grade for rule in Consensus) == expected


def test_last_vote_of_each_rater_counts() -> None:
    """Somebody who votes again is not two."""
    votes = [vote(0), vote(0, "bob"), vote(3)]
    assert [settle(PAIR, votes, rule).grade for rule in Consensus] == [3, 0, 0, 2]
    assert [one.rater for one in settle(PAIR, votes, Consensus.MEDIAN).votes] == ["bob", "ada"]


def test_unrateable_pair_has_no_grade() -> None:
    """The last word decides by `human_last`; by other rules, grades go before it."""
    votes = [vote(2), vote(None, "bob")]
    assert essence(settle(PAIR, votes, Consensus.HUMAN_LAST)) == (PairStatus.UNRATEABLE, None)
    assert essence(settle(PAIR, votes, Consensus.MEDIAN)) == (PairStatus.REVIEWED, 2)
    alone = [vote(None), vote(3, "m", llm=True)]
    assert essence(settle(PAIR, alone, Consensus.MEDIAN)) == (PairStatus.UNRATEABLE, None)
