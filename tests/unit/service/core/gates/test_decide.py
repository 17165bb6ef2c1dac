from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from reteval.contract.comparisons import Comparison, ComparisonRequest, Scope
from reteval.contract.gates import GateOutcome, GatePending, GateReason, GateRequest, GateVerdict
from reteval.contract.runs import RunStatus
from service.core import comparisons
from service.core.backend import Backend, Keeping, parse_policy
from service.core.gates.decide import Comparisons, decide
from service.core.gates.evidence import find_baseline, plan_comparisons
from service.core.gates.readings import Gap
from service.errors import NotComparableError, NotFoundError, ServiceError
from service.queue import JobQueue
from service.store.store import Store
from tests.unit.reteval.decisions import (
    a_comparison,
    a_comparison_report,
    a_difference,
    a_metric,
    a_side,
)
from tests.unit.reteval.documents import a_report, a_summary
from tests.unit.service.api.scored import new_run, score_run, scored_run

DROPS = [{"metric": "mrr", "max_drop": 0.02}]


class Answers:
    """Comparisons as a list of states, each asked for once; keeps the questions."""

    def __init__(self, answers: Iterable[RunStatus | ServiceError] = ()) -> None:
        self.answers = list(answers)
        self.asked: list[ComparisonRequest] = []

    async def open_comparison(
        self, _: Backend, request: ComparisonRequest, *, wait_s: float
    ) -> Comparison:
        """Answer the next state."""
        assert wait_s == 0.0
        self.asked.append(request)
        return self.show(request.baseline, request.candidate, request.primary or "")

    async def get_comparison(self, _: Backend, comparison_id: str, *, wait_s: float) -> Comparison:
        """Answer the next state; the id is the two runs'."""
        assert wait_s == 0.0
        baseline, candidate = comparison_id.split("/")
        return self.show(baseline, candidate, "mrr")

    def show(self, baseline: str, candidate: str, primary: str) -> Comparison:
        """Build a comparison in the next state; a drop of 0.01 where it completed."""
        status = self.answers.pop(0) if self.answers else RunStatus.COMPLETED
        if isinstance(status, ServiceError):
            raise status
        report = a_comparison_report(
            id=f"cmp_{primary}",
            baseline=a_side(baseline, ""),
            candidate=a_side(candidate, ""),
            primary=primary,
            metrics={"mrr": a_metric(a_difference(-0.01))},
        )
        return a_comparison(
            id=f"cmp_{primary}",
            status=status,
            baseline=baseline,
            candidate=candidate,
            error=None if status is RunStatus.COMPLETED else "boom",
            report=report if status is RunStatus.COMPLETED else None,
        )


@pytest.fixture
def backend(store: Store, queue: JobQueue) -> Backend:
    """Return the parts of an API process."""
    return Backend(
        store=store,
        queue=queue,
        policy=parse_policy("loopback", [], []),
        egress="loopback",
        secret_key="",
        code_version="0",
        keeping=Keeping(),
        now=lambda: datetime(2026, 11, 30, tzinfo=UTC),
    )


async def ask(
    backend: Backend, answers: Comparisons | None = None, **fields: Any
) -> GateVerdict | GatePending:
    """Put a gate with drops unless told otherwise."""
    gate = msgspec.convert({"drops": DROPS, **fields}, GateRequest)
    return await decide(backend, gate, wait_s=0, comparisons=answers or Answers())


async def verdict(
    backend: Backend, answers: Comparisons | None = None, **fields: Any
) -> GateVerdict:
    """Put a gate that has a verdict."""
    found = await ask(backend, answers, **fields)
    assert isinstance(found, GateVerdict)
    return found


async def test_drop_against_a_run(backend: Backend, store: Store) -> None:
    """The comparison of the two runs decides, and the verdict names all three."""
    before, after = await scored_run(store), await scored_run(store)
    answers = Answers()
    found = await verdict(backend, answers, run=after, baseline=before)
    assert (found.verdict, found.comparisons) == (GateOutcome.PASS, ("cmp_mrr",))
    assert (found.run.id, found.baseline.id if found.baseline else "") == (after, before)
    asked = ComparisonRequest(baseline=before, candidate=after, primary="mrr", metrics=("mrr",))
    assert answers.asked == [asked]


async def test_comparisons_module_is_what_a_gate_takes(backend: Backend, store: Store) -> None:
    """The real comparisons are opened, and awaited by asking again."""
    before, after = await scored_run(store), await scored_run(store)
    found = await ask(backend, comparisons, run=after, baseline=before)
    assert isinstance(found, GatePending)
    (waited,) = found.waiting_for
    assert found.links == {waited: f"/v1/comparisons/{waited}"}
    again = await ask(backend, comparisons, comparison=waited)
    assert again == found


async def test_gate_without_drops_compares_nothing(backend: Backend, store: Store) -> None:
    """Floors need the run alone."""
    run = await scored_run(store)
    answers = Answers()
    floors = [{"metric": "mrr", "at_least": 0.6}]
    found = await verdict(backend, answers, run=run, drops=[], floors=floors)
    assert (found.verdict, answers.asked) == (GateOutcome.PASS, [])


async def test_baseline_by_label_is_the_newest_that_completed(
    backend: Backend, store: Store
) -> None:
    """Older, failed, running, other-set and own runs with the label are passed over."""
    await scored_run(store, label="main")
    newest = await scored_run(store, label="main")
    await scored_run(store, label="main", status=RunStatus.FAILED, metrics=None)
    await scored_run(store, label="main", name="other")
    await scored_run(store, label="branch")
    await new_run(store, label="main")
    after = await scored_run(store, label="main")
    found = await verdict(backend, run=after, baseline={"label": "main"})
    assert found.baseline is not None
    assert found.baseline.id == newest


async def test_label_without_a_completed_run(backend: Backend, store: Store) -> None:
    """The first run of a project has no baseline, and does not pass for that."""
    after = await scored_run(store, label="main")
    found = await verdict(backend, run=after, baseline={"label": "main"})
    assert (found.verdict, found.rules[2].reason) == (GateOutcome.FAIL, "no_baseline")
    assert "'set' version 1 has the label 'main'" in found.rules[2].message


async def test_no_baseline_at_all(backend: Backend) -> None:
    """Nothing is looked for where nothing is named."""
    found = await find_baseline(backend, GateRequest(), a_report())
    assert found == Gap(GateReason.NO_BASELINE, "no baseline was given")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([RunStatus.FAILED], "comparison_failed"),
        ([RunStatus.CANCELLED], "comparison_failed"),
        ([NotComparableError("no")], "comparison_failed"),
    ],
)
async def test_comparison_that_fails(
    backend: Backend, store: Store, answers: list[RunStatus | ServiceError], reason: str
) -> None:
    """A comparison without a report is never a pass."""
    before, after = await scored_run(store), await scored_run(store)
    found = await verdict(backend, Answers(answers), run=after, baseline=before)
    assert (found.verdict, found.rules[2].reason) == (GateOutcome.FAIL, reason)
    assert found.baseline is not None


async def test_what_has_not_ended_is_named(backend: Backend, store: Store) -> None:
    """Run, baseline and comparison are waited for in this order."""
    running = await new_run(store)
    run = await scored_run(store)
    for fields, answers, waited in (
        ({"run": running.id, "baseline": run}, [], running.id),
        ({"run": run, "baseline": running.id}, [], running.id),
        ({"run": run, "baseline": await scored_run(store)}, [RunStatus.RUNNING], "cmp_mrr"),
        ({"comparison": f"{run}/{run}"}, [RunStatus.QUEUED], "cmp_mrr"),
    ):
        found = await ask(backend, Answers(answers), **fields)
        assert isinstance(found, GatePending)
        assert found.waiting_for == (waited,)


async def test_run_that_failed_is_not_compared(backend: Backend, store: Store) -> None:
    """A failed run has its verdict without a baseline being looked for."""
    after = await scored_run(store, status=RunStatus.FAILED, metrics=None)
    found = await verdict(backend, run=after, baseline="run_none")
    assert (found.verdict, found.exit_code) == (GateOutcome.RUN_FAILED, 3)


async def test_baseline_that_cannot_be_used(backend: Backend, store: Store) -> None:
    """A failed baseline, or one over another test set, leaves the drop unanswered."""
    after = await scored_run(store)
    failed = await scored_run(store, status=RunStatus.FAILED, metrics=None, reason="no_answers")
    other = await scored_run(store, name="other")
    found = await verdict(backend, run=after, baseline=failed)
    assert found.rules[2].reason == "baseline_failed"
    assert "no_answers" in found.rules[2].message
    found = await verdict(backend, run=after, baseline=other)
    assert found.rules[2].reason == "other_test_set"
    answers = Answers()
    found = await verdict(backend, answers, run=after, baseline=other, on="intersection")
    assert (found.verdict, answers.asked[0].on) == (GateOutcome.PASS, Scope.INTERSECTION)


async def test_gate_on_a_comparison(backend: Backend, store: Store) -> None:
    """Its candidate is the run, its baseline the baseline; a failed one is never a pass."""
    before, after = await scored_run(store), await scored_run(store)
    found = await verdict(backend, comparison=f"{before}/{after}")
    assert (found.verdict, found.run.id) == (GateOutcome.PASS, after)
    found = await verdict(backend, Answers([RunStatus.FAILED]), comparison=f"{before}/{after}")
    assert (found.verdict, found.rules[2].message) == (
        GateOutcome.FAIL,
        "comparison 'cmp_mrr' is failed: boom",
    )


async def test_what_does_not_exist(backend: Backend, store: Store) -> None:
    """Unknown runs are a 404, not a verdict."""
    after = await scored_run(store)
    for run, baseline in (("run_none", after), (after, "run_none")):
        with pytest.raises(NotFoundError, match="run_none"):
            await ask(backend, run=run, baseline=baseline)


async def test_end_of_a_run_is_seen(backend: Backend, store: Store) -> None:
    """A gate that had to wait has its verdict once the run has ended."""
    spec = await new_run(store)
    before = await scored_run(store)
    assert isinstance(await ask(backend, run=spec.id, baseline=before), GatePending)
    await score_run(store, spec)
    assert (await verdict(backend, run=spec.id, baseline=before)).verdict is GateOutcome.PASS


def test_each_metric_with_a_slice_is_primary_once() -> None:
    """Slices are of the primary metric; metrics that a run lacks are not asked for."""
    measured = {name: a_summary() for name in ("mrr", "map", "recall@5")}
    rules = [
        {"metric": "mrr", "max_drop": 0},
        {"metric": "map", "max_drop": 0, "slice": "a"},
        {"metric": "map", "max_drop": 0, "slice": "b"},
        {"metric": "recall@5", "max_drop": 0, "slice": "a"},
        {"metric": "ndcg@10", "max_drop": 0, "slice": "a"},
    ]

    def plan(chosen: list[dict[str, Any]]) -> list[tuple[str | None, tuple[str, ...]]]:
        gate = msgspec.convert({"drops": chosen}, GateRequest)
        after, before = a_report(metrics=measured), a_report(id="run_0", metrics=measured)
        return [(one.primary, one.metrics) for one in plan_comparisons(gate, after, before)]

    every = ("mrr", "map", "recall@5")
    assert plan(rules) == [("map", every), ("recall@5", every)]
    assert plan(rules[:1]) == [("mrr", ("mrr",))]
    assert plan(rules[4:]) == []
