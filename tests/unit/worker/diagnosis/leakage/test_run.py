"""What a run sees of leakage by itself."""

import pytest
from msgspec import UNSET

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.join import Bounds
from worker.diagnosis.leakage.run import find_run_leaks
from worker.diagnosis.leakage.subject import MAX_QUERIES

TEXTS = ["how do I reset my password", "how to reset my password", "delete my account"]
LIFT = Lift(
    kind=LeakKind.VERBATIM, run=8, length=9, containment=1.0, recall=1.0, excerpt="x", rank=1
)


def ask(*splits: str) -> list[Query]:
    """Return the queries in these splits."""
    return [
        Query(id=f"q{at}", query=TEXTS[at], split=split, relevant=[])
        for at, split in enumerate(splits)
    ]


def test_nothing_to_look_at() -> None:
    """Without splits and texts nobody looked, and the reasons say so."""
    leaks = find_run_leaks(
        ask("", "", ""), {"q0": Outcome(status=OutcomeStatus.OK)}, relevant_from=1
    )
    assert (leaks.between.ids, leaks.between.reason) == (None, "no_splits")
    assert (leaks.lifted.ids, leaks.lifted.reason) == (None, "no_texts")
    assert (leaks.compared, leaks.diagnostics) == (0, ())


@pytest.mark.parametrize(
    "splits", [("tune", "tune", "tune"), ("dev", "train", "dev"), ("tune", "", "")]
)
def test_one_side_alone_cannot_leak(splits: tuple[str, ...]) -> None:
    """It takes a split that is measured and another one."""
    leaks = find_run_leaks(ask(*splits), {}, relevant_from=1)
    assert (leaks.between.ids, leaks.between.reason) == (None, "no_splits")


def test_leaks_between_splits_are_found() -> None:
    """By id, with a diagnosis that shows the pair."""
    leaks = find_run_leaks(ask("tune", "holdout", "holdout"), {}, relevant_from=1)
    assert (leaks.between.ids, leaks.between.reason) == ({"q1"}, UNSET)
    (found,) = leaks.diagnostics
    assert found.code is DiagnosticCode.LEAKED_QUERIES
    assert found.evidence[0]["splits"] == ["tune", "holdout"]


def test_lifts_of_outcomes_are_found() -> None:
    """Those compared without a lift count as looked at."""
    outcomes = {
        "q0": Outcome(status=OutcomeStatus.OK, ids=["d"], texts=3, lift=LIFT),
        "q1": Outcome(status=OutcomeStatus.OK, ids=["d"], texts=3),
    }
    leaks = find_run_leaks(ask("", "", ""), outcomes, relevant_from=1)
    assert (leaks.lifted.ids, leaks.compared) == ({"q0"}, 2)
    (found,) = leaks.diagnostics
    assert (found.code, found.evidence[0]["like_id"]) == (DiagnosticCode.LIFTED_QUERIES, "d")


def test_a_large_set_is_left_to_a_check() -> None:
    """No run waits for it; the reason says why nothing was looked at."""
    queries = [
        Query(id=str(at), query=f"query number {at}", split=("tune", "test")[at % 2], relevant=[])
        for at in range(MAX_QUERIES + 1)
    ]
    leaks = find_run_leaks(queries, {}, relevant_from=1)
    assert (leaks.between.ids, leaks.between.reason) == (None, "too_many_queries")


def test_what_was_not_finished_is_told() -> None:
    """A number stands with the reason why there may be more."""
    bounds = Bounds(candidates=1, chunk=1)
    leaks = find_run_leaks(ask("tune", "holdout", "holdout"), {}, relevant_from=1, bounds=bounds)
    assert leaks.between.ids is not None
    assert leaks.between.reason == "too_many_alike"
