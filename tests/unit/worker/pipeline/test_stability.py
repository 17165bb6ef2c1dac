"""A run that asks everything several times."""

from msgspec import structs

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.stability import Stability
from reteval.contract.testsets import Expect, Query
from tests.factories import query
from worker.pipeline.plan import Origin, Plan, build_plan, replay_plan
from worker.pipeline.stability import Rounds, Yardstick
from worker.pipeline.stretches import read_stretches

MRR = Metric("mrr")
YARDSTICK = Yardstick(metrics=[MRR], depth=10, relevant_from=1, scale_max=3)
LOST = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT)
QUERIES = [query("one"), query("two"), Query(id="none", query="weather", expect=Expect.NOTHING)]


def answer(*ids: str) -> Outcome:
    """Return a ranking."""
    return Outcome(status=OutcomeStatus.OK if ids else OutcomeStatus.OK_EMPTY, ids=list(ids))


def plan(rounds: int) -> Plan:
    """Plan rounds over the queries."""
    return build_plan(QUERIES, None, relevant_from=1, rounds=rounds)


def measure(*rounds: list[Outcome]) -> Stability:
    """Measure rounds, each with an outcome a query."""
    return compare([outcome for row in rounds for outcome in row], len(rounds), YARDSTICK)


def compare(outcomes: list[Outcome], rounds: int, yardstick: Yardstick) -> Stability:
    """Read the later rounds as a run is read."""
    planned = plan(rounds)
    found = Rounds(planned, outcomes[: planned.clean])
    read_stretches(planned.requests, outcomes, [found], start=planned.attacked)
    return found.report(outcomes, yardstick)


def test_the_plan_holds_every_round() -> None:
    """Later rounds come last and are marked; the first is the run's own."""
    planned = plan(3)
    assert len(planned.requests) == 9
    assert (planned.clean, planned.attacked, planned.rounds) == (3, 3, 3)
    later = planned.requests[3:]
    assert {request.kind for request in later} == {"repeat"}
    assert [request.replicate for request in later] == [1, 1, 1, 2, 2, 2]
    assert [request.text for request in later] == [q.query for q in QUERIES] * 2


def test_a_replayed_plan_keeps_the_rounds_of_its_queries() -> None:
    """Rankings of queries that are scored no longer are left out of every round."""
    kept = QUERIES[1:]
    planned = replay_plan(
        kept,
        plan(3).requests,
        origin=Origin(queries=QUERIES, relevant_from=1),
        request=None,
        relevant_from=1,
    )
    assert planned.rounds == 3
    assert [request.query_id for request in planned.requests] == [q.id for q in kept] * 3


def test_an_endpoint_without_noise_agrees_with_itself() -> None:
    """Equal answers: full agreement, no spread."""
    row = [answer("a", "d1"), answer("d1"), answer()]
    block = measure(row, row, row)
    assert (block.rounds, block.queries, block.left_out) == (3, 3, 0)
    assert (block.mean_rbo, block.identical, block.top1_same) == (1.0, 1.0, 1.0)
    assert block.metrics["mrr"].means == (0.75, 0.75, 0.75)
    assert block.metrics["mrr"].sd == 0.0


def test_noise_is_measured() -> None:
    """A swap counts as another ranking; the metric's means show what it moves."""
    first = [answer("d1", "a"), answer("d1"), answer()]
    second = [answer("a", "d1"), answer("d1"), answer()]
    block = measure(first, second)
    assert block.identical == block.top1_same == 2 / 3
    assert block.mean_rbo is not None
    assert 2 / 3 < block.mean_rbo < 1
    assert block.metrics["mrr"].means == (1.0, 0.75)
    assert round(block.metrics["mrr"].sd, 6) == 0.176777


def test_an_outage_is_not_noise() -> None:
    """Queries that failed in a round are left out and counted; none left has a reason."""
    row = [answer("d1"), answer("d1"), answer()]
    block = measure(row, [LOST, answer("d1"), answer()])
    assert (block.queries, block.left_out, block.identical) == (2, 1, 1.0)
    assert block.metrics["mrr"].means == (1.0, 1.0)
    block = measure(row, [LOST] * 3)
    assert (block.queries, block.left_out, block.mean_rbo) == (0, 3, None)
    assert block.reason == "no query was answered in every round"
    only_empty = measure(row, [LOST, LOST, answer()])
    assert (only_empty.queries, only_empty.metrics) == (1, {})


def test_undefined_metrics_have_no_spread() -> None:
    """A metric that no answer defines in some round is left out."""
    yardstick = structs.replace(YARDSTICK, metrics=[Metric("judged", 5)])
    rounds = [answer("d1"), answer("d1"), answer(), answer(), answer(), answer()]
    assert compare(rounds, 2, yardstick).metrics == {}
