"""Lines of votes."""

from reteval.contract.votes import RaterKind, Vote
from service.store.pools import read_votes, write_vote


def vote(at: str, grade: int = 1) -> Vote:
    """Return a vote of one rater on one document."""
    return Vote(doc_id="d", kind=RaterKind.HUMAN, rater="ada", at=at, grade=grade)


def test_line_that_was_written_twice_is_one_vote() -> None:
    """An append whose answer was lost is done again; a change of mind at another time counts."""
    first, second = vote("2026-01-01T00:00:00Z"), vote("2026-01-01T00:00:01Z", 2)
    lines = write_vote(first) + write_vote(second) + write_vote(first)
    assert read_votes(lines) == [first, second]
    assert read_votes(None) == read_votes(b"") == []
