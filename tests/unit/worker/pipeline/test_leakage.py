"""A run's numbers with and without leaked queries."""

from msgspec import UNSET

from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.results import LeakPart
from reteval.contract.runs import IntervalMethod
from reteval.contract.testsets import Expect, Judgment, Query
from worker.pipeline.leakage import Leakage, report_leakage
from worker.pipeline.plan import build_plan
from worker.pipeline.scoring import score_queries

LIFT = Lift(
    kind=LeakKind.VERBATIM, run=8, length=9, containment=1.0, recall=1.0, excerpt="x", rank=1
)
TEXTS = {
    "how do I reset my password": "tune",
    "how to reset my password": "holdout",
    "delete my account for good": "holdout",
    "set the expiry option of a token": "holdout",
}


def report(
    lifts: dict[str, Lift], *, split: bool = True, interval: IntervalMethod = IntervalMethod.AUTO
) -> Leakage:
    """Report a run in which the leaked queries are right, and the others are not."""
    queries = [
        Query(id=f"q{at}", query=text, relevant=[Judgment("d")], split=name if split else "")
        for at, (text, name) in enumerate(TEXTS.items())
    ]
    queries.append(Query(id="none", query="weather", relevant=[], expect=Expect.NOTHING))
    plan = build_plan(queries, None, relevant_from=1)
    outcomes = [
        Outcome(
            status=OutcomeStatus.OK,
            ids=["d" if at in (1, 3) else "x"],
            texts=int(bool(lifts)),
            lift=lifts.get(request.query_id),
        )
        for at, request in enumerate(plan.requests)
    ]
    scores = score_queries(
        plan.scorable, outcomes[:4], [parse_metric("mrr")], depth=10, relevant_from=1
    )
    return report_leakage(plan, outcomes, scores, relevant_from=1, interval=interval)


def test_leaked_queries_are_counted_and_left_out() -> None:
    """Either way of leaking counts once; what is left is summarised as a slice is."""
    block = report({"q3": LIFT, "none": LIFT}).block
    assert (block.queries, block.share, block.compared) == (2, 0.5, 5)
    assert (block.between_splits, block.from_documents) == (
        LeakPart(queries=1),
        LeakPart(queries=1),
    )
    assert block.metrics_without is not UNSET
    assert (block.metrics_without["mrr"].mean, block.metrics_without["mrr"].n) == (0.0, 2)
    assert block.reason is UNSET


def test_nothing_leaked_needs_no_second_table() -> None:
    """A zero is a zero, and differs from nobody having looked."""
    looked = report({"none": LIFT}, split=False).block
    assert (looked.queries, looked.metrics_without) == (0, UNSET)
    unseen = report({}, split=False).block
    assert (unseen.queries, unseen.share, unseen.reason) == (None, None, "nothing_checked")
    assert unseen.from_documents == LeakPart(queries=None, reason="no_texts")


def test_resampling_is_not_done_twice() -> None:
    """As in slices, the default interval stands in for BCa."""
    block = report({}, interval=IntervalMethod.BCA).block
    assert block.metrics_without is not UNSET
    assert block.metrics_without["mrr"].method != "bca"
