"""The queue: a sample that depends on no doubt, then what went wrong, then what is unsure."""

from collections import Counter

from reteval.contract.votes import QueueReason
from worker.judging.queue import AUDITED, Candidate, draw_audit, make_queue


def candidates(n: int, **changes: object) -> list[Candidate]:
    """Return graded pairs, as many of each grade."""
    return [
        Candidate(query_id=f"q{at}", doc_id="d", grade=at % 4, **changes)  # type: ignore[arg-type]
        for at in range(n)
    ]


def test_sample_is_even_by_grade_and_the_same_for_a_seed() -> None:
    """Fifteen of each of four grades, in no order of grades."""
    drawn = draw_audit(candidates(400), seed=1)
    assert Counter(one.grade for one in drawn) == dict.fromkeys(range(4), AUDITED // 4)
    assert drawn == draw_audit(candidates(400), seed=1)
    assert drawn != draw_audit(candidates(400), seed=2)
    assert [one.grade for one in drawn] != sorted(one.grade or 0 for one in drawn)


def test_sample_does_not_know_of_doubt() -> None:
    """The same pairs are drawn however sure the judge was."""
    sure = draw_audit(candidates(400, margin=1.0), seed=1)
    unsure = draw_audit(candidates(400, margin=0.0, priority=9.0), seed=1)
    assert [one.query_id for one in sure] == [one.query_id for one in unsure]


def test_order_of_the_rest() -> None:
    """Failures, then what has no answer, then doubts and oddities by what hangs on them."""
    rest = [
        Candidate(query_id="sure", doc_id="d", grade=None, known=True),
        Candidate(query_id="none", doc_id="d", grade=None),
        Candidate(query_id="failed", doc_id="d", grade=None, failed=True),
    ]
    assert [(one.query_id, one.reason) for one in make_queue(rest, seed=0)] == [
        ("failed", QueueReason.FAILED),
        ("none", QueueReason.UNJUDGED),
    ]
    many = candidates(400)
    odd = Candidate(query_id="odd", doc_id="e", grade=3, priority=0.5, flags=("cut",))
    unsure = Candidate(query_id="unsure", doc_id="e", grade=3, priority=0.7, margin=0.2)
    queue = make_queue([*many, odd, unsure], seed=5)
    assert len({(one.query_id, one.doc_id) for one in queue}) == len(queue)
    left = [one for one in queue if one.reason is not QueueReason.AUDIT]
    assert [(one.query_id, one.reason, one.flags) for one in left] == [
        ("unsure", QueueReason.UNCERTAIN, ()),
        ("odd", QueueReason.FLAGGED, ("cut",)),
    ]
