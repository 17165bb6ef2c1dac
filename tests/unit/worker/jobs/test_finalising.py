"""The end of a run, from outcomes that are all there."""

import msgspec

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.results import Results
from reteval.contract.unjudged import UnjudgedHits
from service.queue import JobQueue
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs.finalising import finalise_run
from worker.jobs.work import Work
from worker.pipeline.plan import build_plan

QUERIES = [query("one", a=1), query("two", b=1, c=1)]


async def test_unjudged_documents_are_stored_with_the_run(store: Store, queue: JobQueue) -> None:
    """What came back unjudged is kept, a row a query, beside what the report says of it."""
    test_set = await stored_test_set(store, QUERIES)
    record = await stored_run(store, run_spec(test_set))
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    plan = build_plan(QUERIES, None, relevant_from=1)
    outcomes = [
        Outcome(status=OutcomeStatus.OK, ids=["x", "a", "y"], returned=3, latency_ms=1.0),
        Outcome(status=OutcomeStatus.OK_EMPTY, latency_ms=1.0),
    ]
    work = Work(Settings.from_env({}), store, queue, claim)
    await work.store_all(plan, outcomes)
    end = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert end is not None
    record = await store.runs.get(DEFAULT_TENANT, record.id)
    await finalise_run(Work(Settings.from_env({}), store, queue, end), record)
    stored = await store.outcomes.unjudged(DEFAULT_TENANT, record.id, chunk=0)
    assert [UnjudgedHits(bytes([1, 3]), ["x", "y"]), UnjudgedHits(b"", [])] == stored
    report = msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, record.id), type=Results)
    (finding,) = [d for d in report.diagnostics if d.code is DiagnosticCode.LOW_JUDGED]
    assert finding.evidence[0]["unjudged"] == ["x", "y"]


async def test_requests_that_were_not_let_out_are_one_event(store: Store, queue: JobQueue) -> None:
    """The audit log has the run once, with its address as scheme, host and port, and how many."""
    test_set = await stored_test_set(store, QUERIES)
    endpoint = Endpoint(url="http://search.example:9200/q?api_key=s3cret")
    spec = run_spec(test_set)
    request = msgspec.structs.replace(spec.request, endpoint=endpoint)
    record = await stored_run(store, msgspec.structs.replace(spec, request=request))
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    blocked = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.BLOCKED, detail="not allowed")
    work = Work(Settings.from_env({}), store, queue, claim)
    await work.store_all(build_plan(QUERIES, None, relevant_from=1), [blocked, blocked])
    end = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert end is not None
    record = await store.runs.get(DEFAULT_TENANT, record.id)
    await finalise_run(Work(Settings.from_env({}), store, queue, end), record)
    ((_, event),) = (await store.audit.page("access", before=None, limit=9))[0]
    assert event == {
        "event": "egress_denied",
        "team": DEFAULT_TENANT,
        "target": record.id,
        "detail": "http://search.example:9200: 2 requests: not allowed",
        "key": "",
        "ip": "",
        "request_id": "",
    }
