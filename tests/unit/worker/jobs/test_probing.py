"""Probes and canaries in a worker: over a real store and a real endpoint."""

import asyncio
import json
import os
import signal
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import msgspec
import redis

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.probes import ProbeQuery, ProbeReport, ProbeRequest
from reteval.contract.results import Results
from reteval.contract.runs import Limits, RunStatus
from reteval.contract.testsets import Query
from service.queue import INTERACTIVE, JobQueue
from service.store import keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.plans import name_shard
from service.store.records import ProbeRecord, ProbeSpec, RunRecord
from service.store.sealing import seal
from service.store.store import Store
from tests.endpoint import Answer, serve_answers
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.worker.jobs.test_execution import settings
from worker.jobs.execution import execute_next

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


def questions(n: int) -> list[Query]:
    """Build queries, each with one relevant document."""
    return [query(f"t{at}", **{f"d{at}": 1}) for at in range(n)]


async def new_probe(
    store: Store,
    url: str,
    *,
    queries: Sequence[ProbeQuery] = (),
    test_set: str | None = None,
    headers: dict[str, str] | None = None,
    **fields: Any,
) -> ProbeRecord:
    """Store a probe, with header values sealed."""
    blank = dict.fromkeys(headers or {}, "")
    spec = ProbeSpec(
        id=new_id("prb"),
        request=ProbeRequest(
            endpoint=Endpoint(url=url, headers=blank, **fields), queries=tuple(queries)
        ),
        test_set=test_set,
        code_version="0.1.0",
    )
    secrets = seal(KEY, headers) if headers else None
    return await store.probes.create(DEFAULT_TENANT, spec, secrets=secrets, queue=INTERACTIVE)


async def read_report(store: Store, record: ProbeRecord) -> ProbeReport:
    """Read a probe's report."""
    ended = await store.probes.get(DEFAULT_TENANT, record.id)
    report = await store.probes.report(DEFAULT_TENANT, ended)
    assert report is not None
    return report


def in_capitals(text: str) -> tuple[int, Any]:
    """Answer with the right document, its id in capitals."""
    return 200, {"results": [{"id": f"D{text[1:]}", "token": "s3cret-value"}, {"id": f"X{text}"}]}


async def test_probe_takes_queries_of_the_set_and_suggests(store: Store, redis_url: str) -> None:
    """Five queries go out with the sealed header; the report masks it and finds the rule."""
    made = await stored_test_set(store, questions(20))
    with serve_answers(in_capitals) as endpoint:
        record = await new_probe(
            store, endpoint.url, test_set=made.id, headers={"X-Api-Key": "s3cret-value"}
        )
        await execute_next(settings(redis_url, RETEVAL_SECRET_KEY=KEY), record.queue)
    assert endpoint.seen == ["t0", "t4", "t8", "t12", "t16"]
    assert {headers["x-api-key"] for headers in endpoint.headers} == {"s3cret-value"}
    report = await read_report(store, record)
    assert report.suggestions[0].patch == {"endpoint": {"id_rule": [{"op": "casefold"}]}}
    assert "s3cret-value" not in msgspec.json.encode(report).decode()
    with redis.Redis.from_url(redis_url) as client:
        assert not client.exists(keys.job_part(DEFAULT_TENANT, record.id, "secrets"))


async def test_probe_of_given_queries_and_a_lookup(store: Store, redis_url: str) -> None:
    """Given queries are sent as they are; judged ids are asked for one by one."""
    with serve_answers(lambda _: (200, ["a"])) as endpoint:
        root = endpoint.url.removesuffix("/search")
        record = await new_probe(
            store,
            endpoint.url,
            queries=[ProbeQuery(query="one", relevant_ids=("a", 7))],
            lookup=root + "/documents/{{id}}",
        )
        await execute_next(settings(redis_url), record.queue)
    report = await read_report(store, record)
    assert report.answers[0].judged_returned == ("a",)
    assert report.lookup is not None
    assert (report.lookup.asked, report.lookup.failed) == (2, 2)


async def test_probe_of_nobody_shows_what_was_sent(store: Store, redis_url: str) -> None:
    """No connection: the request is shown, the failure explained."""
    record = await new_probe(store, "http://127.0.0.1:9/x", queries=[ProbeQuery(query="one")])
    await execute_next(settings(redis_url), record.queue)
    report = await read_report(store, record)
    assert report.answers[0].request is not None
    assert report.answers[0].request.url == "http://127.0.0.1:9/x"
    assert "check the endpoint's URL" in report.problems[0]


async def test_probe_that_is_not_let_out_is_in_the_audit_log(store: Store, redis_url: str) -> None:
    """One event, with where the probe would have gone and why it did not."""
    asked = [ProbeQuery(query="a"), ProbeQuery(query="b")]
    record = await new_probe(store, "http://10.0.0.1:9200/q?key=s3cret", queries=asked)
    await execute_next(settings(redis_url), INTERACTIVE)
    ((_, event),) = (await store.audit.page("access", before=None, limit=9))[0]
    assert (event["event"], event["target"]) == ("egress_denied", record.id)
    assert event["detail"].startswith("http://10.0.0.1:9200: ")


async def test_probe_is_handed_on_when_the_worker_stops(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """SIGTERM in the middle: the probe waits for another worker, and ends there."""
    loop = asyncio.get_running_loop()

    def answer(_text: str) -> tuple[int, Any]:
        loop.call_soon_threadsafe(os.kill, os.getpid(), signal.SIGTERM)
        return 200, ["a"]

    queries = [ProbeQuery(query=f"q{at}") for at in range(3)]
    with serve_answers(answer) as endpoint:
        record = await new_probe(store, endpoint.url, queries=queries)
        await execute_next(settings(redis_url), record.queue)
    left = await store.probes.get(DEFAULT_TENANT, record.id)
    assert not left.status.terminal
    assert (await queue.depth())[INTERACTIVE] == 1


async def test_probe_that_killed_its_workers_is_given_up(store: Store, redis_url: str) -> None:
    """A poisoned probe ends as failed and sends nothing."""
    with serve_answers(lambda _: (200, [])) as endpoint:
        record = await new_probe(store, endpoint.url, queries=[ProbeQuery(query="one")])
        for attempt in range(4):
            while not await store.claims.claim(
                DEFAULT_TENANT, record.id, owner=str(attempt), lease_s=0.001
            ):
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.01)
        await execute_next(settings(redis_url), record.queue)
    ended = await store.probes.get(DEFAULT_TENANT, record.id)
    assert (ended.status, ended.error) == (RunStatus.FAILED, "worker_crashed")
    assert endpoint.seen == []


async def new_run(store: Store, url: str, *, n: int = 25, **fields: Any) -> RunRecord:
    """Store a run over some queries."""
    spec = run_spec(await stored_test_set(store, questions(n)), url=url)
    request = msgspec.structs.replace(
        spec.request,
        endpoint=msgspec.structs.replace(spec.request.endpoint, **fields),
        limits=Limits(retries=0, concurrency=4),
    )
    return await stored_run(store, msgspec.structs.replace(spec, request=request))


async def run(store: Store, redis_url: str, answer: Answer, **fields: Any) -> tuple[Results, int]:
    """Carry out a run; return its report and the number of requests that came."""
    with serve_answers(answer) as endpoint:
        record = await new_run(store, endpoint.url, **fields)
        await execute_next(settings(redis_url), record.queue)
    body = await store.runs.results(DEFAULT_TENANT, record.id)
    return msgspec.json.decode(body, type=Results), len(endpoint.seen)


async def test_canary_stops_when_all_fail_alike(store: Store, redis_url: str) -> None:
    """Ten requests, one cause: the other fifteen are skipped and the finding shows why."""
    report, sent = await run(store, redis_url, lambda _: (404, {"error": "no such index"}))
    assert sent == 10
    assert (report.status, report.reason) == (RunStatus.FAILED, "canary: http_4xx")
    assert report.counts.failed_by_code == {"http_4xx": 10, "circuit_open": 15}
    finding = report.diagnostics[0]
    assert finding.code == "canary_failed"
    assert "nothing answers at this path" in finding.fix
    assert finding.evidence[0]["http_status"] == 404


async def test_canary_lets_a_run_go_on_after_one_answer(store: Store, redis_url: str) -> None:
    """One answer among the first ten, or two causes, and everything is sent."""

    def answer(text: str) -> tuple[int, Any]:
        return (200, ["d3"]) if text == "t3" else (404, {})

    report, sent = await run(store, redis_url, answer)
    assert sent == 25
    assert "circuit_open" not in report.counts.failed_by_code


async def test_canary_needs_something_to_spare(store: Store, redis_url: str) -> None:
    """A run of ten queries is sent whole: nothing is left that could be held back."""
    report, sent = await run(store, redis_url, lambda _: (404, {}), n=10)
    assert sent == 10
    assert report.reason == "no_answers"


async def test_canary_of_a_run_taken_over_is_read_from_the_record(
    store: Store, redis_url: str
) -> None:
    """The first worker died after ten failures: the second one sends nothing and says so."""
    with serve_answers(lambda _: (200, [])) as endpoint:
        record = await new_run(store, endpoint.url)
        claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
        assert claim is not None
        failed = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.SCHEMA)
        await store.shards.write(claim, name_shard(0), [(place, failed) for place in range(10)])
        await store.claims.release(claim)
        await execute_next(settings(redis_url), record.queue)
    body = await store.runs.results(DEFAULT_TENANT, record.id)
    report = msgspec.json.decode(body, type=Results)
    assert endpoint.seen == []
    assert report.reason == "canary: schema"
    assert report.diagnostics[0].code == "canary_failed"


class _Shelf(BaseHTTPRequestHandler):
    """Finds documents, and has none of them."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(200, json.dumps([f"d{sent['query'][1:]}"]).encode())

    def do_GET(self) -> None:
        self._answer(404, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


async def test_lookup_of_a_run_finds_documents_that_do_not_exist(
    store: Store, redis_url: str
) -> None:
    """An endpoint that answers searches but knows no document: the run says so."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shelf)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    root = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        record = await new_run(store, f"{root}/search", lookup=root + "/documents/{{id}}")
        await execute_next(settings(redis_url), record.queue)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    body = await store.runs.results(DEFAULT_TENANT, record.id)
    report = msgspec.json.decode(body, type=Results)
    assert report.status is RunStatus.COMPLETED
    assert report.diagnostics[0].code == "judged_not_in_corpus"
    assert report.diagnostics[0].message.startswith("25 of 25 judged ids")
