"""What a run brings up for labelling."""

import pytest

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.testsets import Judgment, Query
from reteval.contract.unjudged import UnjudgedHits
from tests.unit.worker.pipeline.answers import hits
from worker.pipeline.unjudged import list_unjudged, read_grades

ONE = Query(id="1", query="one", relevant=[Judgment("a", 1), Judgment("b", -1), Judgment(7, 0)])
TWO = Query(id="2", query="two", relevant=[Judgment("a", 1)])
NOTHING = Query(id="3", query="three")


def test_unjudged_leaves_out_every_judged_document() -> None:
    """Any grade is a judgment, negative and integer ids included; ranks are those delivered."""
    found = list_unjudged([ONE], sent=[ONE], outcomes=[hits("x", "a", "b", "7", "y")])
    assert [UnjudgedHits(bytes([1, 5]), ["x", "y"])] == found


def test_unjudged_counts_a_repeat_at_its_first_rank() -> None:
    """A document that comes twice is one to judge."""
    found = list_unjudged([TWO], sent=[TWO], outcomes=[hits("a", "x", "y", "x")])
    assert [UnjudgedHits(bytes([2, 3]), ["x", "y"])] == found


def test_unjudged_looks_at_ten_places() -> None:
    """What stands deeper is not worth a label yet."""
    (found,) = list_unjudged([TWO], sent=[TWO], outcomes=[hits(*map(str, range(12)))])
    assert [str(n) for n in range(10)] == found.ids
    assert bytes(range(1, 11)) == found.ranks


@pytest.mark.parametrize(
    "outcome", [Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT, ids=["x"]), hits()]
)
def test_unjudged_has_an_entry_for_every_query_of_the_set(outcome: Outcome) -> None:
    """Queries that were not sent, failed or came back empty keep their place."""
    found = list_unjudged([NOTHING, ONE, TWO], sent=[ONE, TWO], outcomes=[outcome, hits("x")])
    empty = UnjudgedHits(b"", [])
    assert [empty, empty, UnjudgedHits(bytes([1]), ["x"])] == found


def test_grades_of_a_query_without_judgments() -> None:
    """Nothing judged is no grade, not an error."""
    assert ({}, {"a": 1, "b": -1, "7": 0}) == (read_grades(NOTHING), read_grades(ONE))
