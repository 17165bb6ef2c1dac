"""Which hold-out it is, whether it was looked at, and what a report says of it."""

from msgspec import structs

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.splits import HoldoutLooks
from reteval.contract.testsets import Judgment, Query
from tests.unit.reteval.documents import a_report
from worker.pipeline.holdout import count_answered, digest_holdout, note_look

HELD = [Query(id=f"h{n}", query=f"held {n}", split="holdout") for n in range(3)]
TUNE = [Query(id="t", query="tuned", split="tune")]


def test_a_holdout_is_its_name_ids_and_texts() -> None:
    """Order, judgments, tuning queries and variants do not matter; another text or name does."""
    digest = digest_holdout("docs", [*HELD, *TUNE])
    variant = Query(id="v", query="hled 0", parent="h0", split="holdout")
    judged = [structs.replace(query, relevant=[Judgment("d", 3)]) for query in HELD]
    assert digest == digest_holdout("docs", [*reversed(judged), variant])
    assert digest != digest_holdout("faq", HELD)
    assert digest != digest_holdout("docs", HELD[1:])
    assert digest != digest_holdout("docs", [structs.replace(HELD[0], query="x"), *HELD[1:]])


def test_a_look_needs_an_answer_to_a_query_that_was_held_out() -> None:
    """Failed and skipped requests show nothing, and neither does what was tuned on."""
    answered = Outcome(status=OutcomeStatus.OK_EMPTY)
    failed = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT)
    assert count_answered([*HELD, *TUNE], [answered, failed, answered, answered]) == 2
    assert count_answered(TUNE, [answered]) == 0


def test_a_report_says_which_look_it_is() -> None:
    """From the third look on with a finding, before without."""
    report = a_report(diagnostics=())
    second = note_look(report, HoldoutLooks(look=2, total=2), held_out=40)
    third = note_look(report, HoldoutLooks(look=3, total=3), held_out=40)
    assert (second.holdout_looks, second.diagnostics) == (HoldoutLooks(look=2, total=2), ())
    assert [found.code for found in third.diagnostics] == [DiagnosticCode.HOLDOUT_WORN]
