"""Each rule of the soak accepts a sound history, and notices the one thing that breaks it."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import structs

from reteval.contract.outcomes import Outcome, OutcomeRow, OutcomeStatus
from reteval.contract.results import Counts, Results
from reteval.contract.runs import RunStatus, TestSetRef
from reteval.contract.testsets import Query
from tests.faults.collection import make_test_set, rank
from tests.reference_metrics import summarise
from tests.soak import checkers
from tests.soak.checkers import Check, check
from tests.soak.history import (
    Asked,
    Cancelled,
    Compared,
    Created,
    Drained,
    Event,
    Fault,
    Found,
    Healed,
    Listed,
    Read,
    Refused,
    Told,
    Uploaded,
)
from tests.unit.reteval.documents import a_report, a_summary

TEAM = "team-1"
FIRST, OTHER = f"{TEAM}/1", "team-2/1"
DEPTH = 10
DONE = RunStatus.COMPLETED
QUERIES = msgspec.convert(make_test_set(TEAM, 4)["queries"], type=tuple[Query, ...])
ROWS = tuple(
    OutcomeRow(
        query_id=query.id,
        query=query.query,
        outcome=Outcome(status=OutcomeStatus.OK, ids=rank(number)[:DEPTH]),
    )
    for number, query in enumerate(QUERIES)
)


def at(kind: Callable[..., Event], began: float, **what: Any) -> Event:
    """Return an event of the team that takes a tenth of a second, unless told otherwise."""
    return kind(**{"who": TEAM, "began": began, "ended": began + 0.1} | what)


def report() -> Results:
    """Return the report that follows from the rows."""
    grades = [{str(it.id): it.grade for it in query.relevant or ()} for query in QUERIES]
    found = summarise("mrr", [row.outcome.ids for row in ROWS], grades)
    summary = a_summary(found.mean, n=found.n, sd=found.sd, bounds=found.bounds)
    none = dict.fromkeys(("ok_empty", "failed", "skipped", "unscorable", "duplicate_hits"), 0)
    return a_report(
        test_set=TestSetRef(id="ts_1", name=TEAM, version=1, hash="sha256:1"),
        counts=Counts(planned=len(ROWS), ok=len(ROWS), **none),
        metrics={"mrr": summary},
        depth=DEPTH,
    )


FOUND = {
    "run": "run_1",
    "token": FIRST,
    "label": TEAM,
    "status": DONE,
    "report": report(),
    "digest": "d",
    "rows": ROWS,
}
SOUND = (
    at(Uploaded, 0.0, test_set="ts_1", queries=QUERIES),
    at(Created, 1.0, token=FIRST),
    at(Created, 1.2, token=FIRST, run="run_1"),
    at(Read, 1.4, run="run_1", status=RunStatus.QUEUED, done=0),
    *(at(Asked, 2.0, run="run_1", text=query.query, answered=True) for query in QUERIES),
    at(Read, 2.2, run="run_1", status=RunStatus.RUNNING, done=3),
    at(Fault, 1.4, name="kill api", ended=1.9),
    at(Read, 3.0, run="run_1", status=DONE, done=4),
    at(Told, 3.2, run="run_1", digest="d"),
    at(Listed, 3.4, label=TEAM, labels=(TEAM,)),
    at(Compared, 3.6, comparison="cmp_1", status=RunStatus.QUEUED),
    at(Refused, 3.7, call="get", status=503, code="store_unavailable", about="run_1"),
    at(Drained, 3.8, exit_code=0),
    at(Healed, 10.0),
    at(Compared, 10.2, comparison="cmp_1", status=DONE),
    at(Found, 11.0, **FOUND),
)
"""What a run looks like that nothing happened to."""


def found(**changes: Any) -> Event:
    """Return what the run was in the end, changed."""
    return at(Found, 12.0, **FOUND | changes)


def changed(**changes: Any) -> Event:
    """Return what the run was in the end, with another report."""
    return found(report=structs.replace(report(), **changes))


def told_otherwise(number: int, **changes: Any) -> tuple[OutcomeRow, ...]:
    """Return the rows with one outcome changed."""
    row = ROWS[number]
    other = structs.replace(row, outcome=structs.replace(row.outcome, **changes))
    return (*ROWS[:number], other, *ROWS[number + 1 :])


BREAKS: dict[str, tuple[Check, tuple[Event, ...]]] = {
    "a run is gone": (
        checkers.every_run_ends,
        (at(Created, 5.0, token=OTHER, run="run_2"),),
    ),
    "a run has not ended": (checkers.every_run_ends, (found(status=RunStatus.RUNNING),)),
    "a comparison has not ended": (
        checkers.every_run_ends,
        (at(Compared, 12.0, comparison="cmp_2", status=RunStatus.RUNNING),),
    ),
    "a query is missing": (checkers.every_query_has_one_outcome, (found(rows=ROWS[1:]),)),
    "a query is there twice": (
        checkers.every_query_has_one_outcome,
        (found(rows=(*ROWS, ROWS[0])),),
    ),
    "an outcome is counted wrong": (
        checkers.every_query_has_one_outcome,
        (found(rows=told_otherwise(0, status=OutcomeStatus.FAILED)),),
    ),
    "a completed run has no outcomes": (checkers.every_query_has_one_outcome, (found(rows=()),)),
    "the counts miss one": (
        checkers.every_query_has_one_outcome,
        (changed(counts=structs.replace(report().counts, planned=5)),),
    ),
    "a ranking was swapped": (
        checkers.numbers_follow_from_outcomes,
        (found(rows=told_otherwise(1, ids=rank(1)[::-1])),),
    ),
    "a mean is a bit off": (
        checkers.numbers_follow_from_outcomes,
        (changed(metrics={"mrr": a_summary(0.5000000000000001, n=4)}),),
    ),
    "a report was rewritten": (checkers.ended_is_ended, (found(digest="e"),)),
    "a report was told otherwise": (
        checkers.ended_is_ended,
        (at(Told, 4.0, run="run_1", digest="e"),),
    ),
    "an end changed": (
        checkers.ended_is_ended,
        (at(Read, 4.0, run="run_1", status=RunStatus.CANCELLED, done=4),),
    ),
    "a run went back": (
        checkers.reads_never_go_back,
        (at(Read, 4.0, run="run_1", status=RunStatus.RUNNING, done=4),),
    ),
    "progress went back": (
        checkers.reads_never_go_back,
        (at(Read, 4.0, run="run_1", status=DONE, done=3),),
    ),
    "a known run was not found": (
        checkers.reads_never_go_back,
        (at(Refused, 4.0, call="get", status=404, code="not_found", about="run_1"),),
    ),
    "a token made two runs": (
        checkers.creations_are_done_once,
        (at(Created, 5.0, token=FIRST, run="run_2"),),
    ),
    "an unanswered attempt made one more": (
        checkers.creations_are_done_once,
        (found(run="run_2"),),
    ),
    "two tokens made one run": (
        checkers.creations_are_done_once,
        (at(Created, 5.0, token=OTHER, run="run_1"),),
    ),
    "nobody asked for a run": (checkers.creations_are_done_once, (found(run="r", token=OTHER),)),
    "an answer was made up": (
        checkers.answers_were_asked_for,
        (found(run="run_2"),),
    ),
    "an answer is another's": (
        checkers.answers_were_asked_for,
        (found(rows=told_otherwise(2, ids=rank(3)[:DEPTH])),),
    ),
    "a request follows a cancellation": (
        checkers.nothing_is_sent_after_cancel,
        (
            at(Cancelled, 13.0, run="run_1"),
            at(Cancelled, 4.0, run="run_2"),
            at(Asked, 7.5, run="run_2", text="x", answered=True),
        ),
    ),
    "a request follows the end": (
        checkers.nothing_is_sent_after_cancel,
        (at(Asked, 6.5, run="run_1", text="x", answered=True),),
    ),
    "an outage is no excuse": (
        checkers.nothing_is_sent_after_cancel,
        (
            at(Cancelled, 4.0, run="run_2"),
            at(Fault, 4.0, name="kill store", ended=14.0, silences=True),
            at(Asked, 7.5, run="run_2", text="x", answered=True),
        ),
    ),
    "a freeze that is over is no excuse": (
        checkers.nothing_is_sent_after_cancel,
        (
            at(Cancelled, 4.0, run="run_2"),
            at(Fault, 4.0, name="freeze worker", ended=5.0, freezes=True),
            at(Asked, 8.5, run="run_2", text="x", answered=True),
        ),
    ),
    "a worker that lost its lease goes on": (
        checkers.lost_leases_are_silent,
        (
            at(Fault, 20.0, name="mute workers", ended=30.0, silences=True),
            at(Asked, 25.0, run="run_1", text="x", answered=True),
        ),
    ),
    "a run has another's label": (checkers.nobody_sees_anothers, (found(label="team-2"),)),
    "a run has another's test set": (
        checkers.nobody_sees_anothers,
        (changed(test_set=TestSetRef(id="ts_2", name="t", version=1, hash="")),),
    ),
    "a run has another's queries": (
        checkers.nobody_sees_anothers,
        (found(rows=(structs.replace(ROWS[0], query="x"), *ROWS[1:])),),
    ),
    "another's query was sent": (
        checkers.nobody_sees_anothers,
        (at(Asked, 2.0, run="run_1", text="x", answered=True),),
    ),
    "a list holds another's run": (
        checkers.nobody_sees_anothers,
        (at(Listed, 4.0, label=TEAM, labels=(TEAM, "team-2")),),
    ),
    "an answer is a defect": (
        checkers.no_answer_is_a_defect,
        (at(Refused, 4.0, call="get", status=500, code="internal_error"),),
    ),
    "a worker ends badly": (checkers.told_workers_end, (at(Drained, 4.0, exit_code=1),)),
    "a worker does not end": (
        checkers.told_workers_end,
        (at(Drained, 4.0, exit_code=0, ended=40.0),),
    ),
}


def test_sound_history_holds() -> None:
    """Nothing is found in what a run looks like that nothing happened to."""
    assert check(SOUND) == {}


@pytest.mark.parametrize("broken", BREAKS)
def test_rule_notices(broken: str) -> None:
    """The rule finds the one thing that is added, and says something about it."""
    rule, events = BREAKS[broken]
    assert [*rule(SOUND)] == []
    violations = [*rule((*SOUND, *events))]
    assert violations
    assert all(violations)
    assert rule.__name__ in check((*SOUND, *events))


def test_every_rule_can_fail() -> None:
    """No rule is without a history that breaks it."""
    assert {rule for rule, _ in BREAKS.values()} == {*checkers.CHECKERS}


def test_unhealed_history_is_no_proof() -> None:
    """A soak that did not come to its end shows nothing."""
    events = [event for event in SOUND if not isinstance(event, Healed)]
    assert check(events) == {"every_run_ends": ["nothing has healed"]}


def test_unplanned_run_has_no_rows() -> None:
    """A run cancelled before it was planned lists nothing, and counts all as skipped."""
    counts = structs.replace(report().counts, ok=0, skipped=len(ROWS))
    whole = structs.replace(report(), counts=counts, metrics=None)
    ended = {"status": RunStatus.CANCELLED, "report": whole, "rows": ()}
    events = [event for event in SOUND if not isinstance(event, (Read, Found))]
    assert check((*events, found(**ended))) == {}


def test_frozen_worker_may_hear_later() -> None:
    """Who is frozen when a run is cancelled has the usual time once it goes on."""
    events = (
        at(Cancelled, 4.0, run="run_2"),
        at(Fault, 4.0, name="freeze worker", ended=12.0, freezes=True),
        at(Asked, 14.0, run="run_2", text="x", answered=True),
    )
    assert [*checkers.nothing_is_sent_after_cancel(events)] == []


def test_retry_takes_over_its_parents_answers() -> None:
    """What a parent was answered counts for the child; what nobody was answered does not."""
    child = {"run": "run_2", "token": "team-1/2", "parent": "run_1"}
    assert [*checkers.answers_were_asked_for((*SOUND, found(**child)))] == []
