"""Two runs that answered three queries unlike each other, and their comparison."""

import math
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from reteval.contract.comparisons import ComparisonReport, Mover
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Judgment, Query
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.reteval.decisions import a_comparison_report, a_metric, a_side
from tests.unit.service.api.scored import new_run, score_run
from tests.unit.service.pages.markup import HOSTILE

QUERIES = (
    Query(id="q1", query=HOSTILE, relevant=[Judgment("d1", 2), Judgment("d9", 1)]),
    Query(id="a/b ?", query="refund", relevant=[Judgment("d2", 1), Judgment("d1", 0)]),
    Query(id="q3", query="delete account", relevant=[Judgment("d5", 1)]),
)
PLAN = tuple(PlannedRequest(query_id=query.id, text=query.query) for query in QUERIES)
MOVER = Mover(query_id="a/b ?", query="refund", baseline=1, candidate=0.25, difference=-0.75)


class Compared(Struct, frozen=True):
    """Ids of the two runs and of their comparison."""

    baseline: str
    candidate: str
    id: str

    @property
    def path(self) -> str:
        """The address of the comparison's page."""
        return f"/comparisons/{self.id}"


def found(*ids: str) -> Outcome:
    """Return an answer."""
    return Outcome(status=OutcomeStatus.OK, ids=list(ids), returned=len(ids), latency_ms=3.0)


BEFORE = (found("d1", "d2", "d3"), found("d2"), found("d5"))
AFTER = (
    found("d3", "d1", "<i>d4</i>"),
    found("d7", "d8", "d1", "d2"),
    Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT, detail="no answer in 10 s"),
)


async def two_runs(store: Store) -> tuple[str, str]:
    """End two runs: the second loses a query, is worse in one and loses half in another."""
    sides = (("main", BEFORE, (1.0, 1.0, 1.0)), ("branch", AFTER, (0.5, 0.25, math.nan)))
    ids = []
    for label, outcomes, values in sides:
        spec = await new_run(store, label=label, queries=QUERIES)
        columns = {"mrr": values}
        ids.append(await score_run(store, spec, columns=columns, plan=PLAN, outcomes=outcomes))
    return ids[0], ids[1]


async def asked(client: httpx.AsyncClient, store: Store) -> Compared:
    """Ask for the comparison of two runs; nobody makes it."""
    baseline, candidate = await two_runs(store)
    body = {"baseline": baseline, "candidate": candidate}
    made = await client.post("/v1/comparisons", json=body)
    return Compared(baseline, candidate, made.json()["id"])


async def compared(client: httpx.AsyncClient, store: Store, **changes: Any) -> Compared:
    """Do a worker's part for the comparison of two runs."""
    ids = await asked(client, store)
    report = msgspec.structs.replace(report_of(ids), **changes)
    await end(store, ids.id, report=report)
    return ids


def report_of(ids: Compared) -> ComparisonReport:
    """Return a report on the two runs."""
    return a_comparison_report(
        id=ids.id,
        baseline=a_side(ids.baseline, "main"),
        candidate=a_side(ids.candidate, "branch"),
        primary="mrr",
        metrics={"mrr": a_metric(n=2)},
        movers=(MOVER,),
    )


async def end(store: Store, comparison_id: str, *, report: ComparisonReport | None) -> None:
    """End a comparison, with a report or without."""
    claim = await store.claims.claim(DEFAULT_TENANT, comparison_id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(
        claim,
        status=RunStatus.COMPLETED if report else RunStatus.FAILED,
        report=msgspec.json.encode(report) if report else b"",
        error="" if report else "worker_crashed",
    )
