"""What endpoints do wrong, through a whole run: the named outcome, and every request accounted for.

The names are those of the fault list: F29 to F52 are faults of an endpoint.
"""

from collections import Counter
from typing import Any

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.results import Results
from reteval.contract.runs import Limits, RunStatus
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.evil import Evil, answer
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs.execution import execute_next

N = 14
"""More queries than the canary sends."""
HITS = {"results": [{"id": "d1"}, {"id": "d2"}]}

FAULTS = {
    "F30 burst": ("script", "ok"),
    "F32 reset": ("reset", "truncated"),
    "F35 html": ("html", "invalid_content_type"),
    "F35 half json": ("half", "invalid_json"),
    "F36 hit without id": ("no-id", "schema"),
    "F37 error in a 200": ("envelope", "schema"),
    "F38 truncated": ("truncated", "truncated"),
    "F39 hang": ("hang", "timeout"),
    "F40 empty body": ("empty", "invalid_json"),
    "F41 compressed": ("gzip", "encoding_not_allowed"),
    "F42 repeats": ("repeats", "ok"),
    "F44 empty list": ("empty-list", "ok_empty"),
    "F45 integer ids": ("ints", "ok"),
    "F47 unauthorized": ("unauthorized", "endpoint_auth"),
    "F47 forbidden": ("forbidden", "endpoint_auth"),
    "F49 drip": ("drip-body", "timeout"),
    "F52 redirect": ("redirect", "redirect_not_followed"),
    "garbage": ("garbage", "bad_http"),
    "endless": ("endless", "response_too_large"),
    "not found": ("not-found", "http_4xx"),
}


async def run_against(store: Store, redis_url: str, url: str, **changes: Any) -> Results:
    """Run the queries against an address and return the report."""
    queries = [query(f"question {number}", d1=1) for number in range(N)]
    spec = run_spec(await stored_test_set(store, queries))
    limits = Limits(
        **{
            "concurrency": 4,
            "retries": 1,
            "timeout_s": 0.5,
            "max_response_bytes": 100_000,
            "max_error_rate": 1.0,
            **changes,
        }
    )
    request = msgspec.structs.replace(spec.request, endpoint=Endpoint(url=url), limits=limits)
    record = await stored_run(store, msgspec.structs.replace(spec, request=request))
    settings = Settings.from_env({"RETEVAL_REDIS_URL": redis_url, "RETEVAL_EGRESS": "loopback"})
    await execute_next(settings, record.queue)
    body = await store.runs.results(DEFAULT_TENANT, record.id)
    return msgspec.json.decode(body, type=Results)


def tell(report: Results) -> Counter[str]:
    """Count how the requests of a report ended, by code where there is one."""
    counts = report.counts
    assert counts.planned == counts.ok + counts.ok_empty + counts.failed + counts.skipped == N
    told = Counter({"ok": counts.ok, "ok_empty": counts.ok_empty} | counts.failed_by_code)
    return +told


@pytest.mark.parametrize("fault", FAULTS)
async def test_fault_ends_in_its_outcome(store: Store, redis_url: str, fault: str) -> None:
    """Each request ends as the fault says, or was not sent because the first ones did."""
    behaviour, code = FAULTS[fault]
    async with Evil() as evil:
        evil.script = [answer({}, status="503 Busy")] * 3 + [answer(HITS)] * (N + 3)
        report = await run_against(store, redis_url, evil.url(behaviour))
    told = tell(report)
    told.pop("circuit_open", None)
    assert set(told) == {code}
    if code.startswith("ok"):
        assert report.status is RunStatus.COMPLETED
        assert report.metrics is not None
    else:
        assert (report.status, report.metrics) == (RunStatus.FAILED, None)
    assert report.counts.duplicate_hits == (N if behaviour == "repeats" else 0)


async def test_refused_connections_are_told(store: Store, redis_url: str) -> None:
    """F33: where nobody listens, requests fail as `connect` and the rest is not sent."""
    async with Evil() as evil:
        url = evil.url("ok")
    report = await run_against(store, redis_url, url)
    assert set(tell(report)) == {"connect", "circuit_open"}
    assert report.reason == "canary: connect"


async def test_rate_limit_is_waited_for(store: Store, redis_url: str) -> None:
    """F29: a 429 with Retry-After is waited for; one that never ends is `rate_limited`."""
    asks = answer({}, status="429 Too Many", extra="Retry-After: 0\r\n")
    async with Evil() as evil:
        evil.script = [asks] * 2 + [answer(HITS)] * N
        report = await run_against(store, redis_url, evil.url("script"), concurrency=1, retries=2)
        assert tell(report) == {"ok": N}
        assert report.effort.retried == 2
        evil.script = [asks] * (3 * N)
        refused = await run_against(store, redis_url, evil.url("script"))
    assert set(tell(refused)) == {"rate_limited"}


async def test_half_of_the_errors_decide_by_threshold(store: Store, redis_url: str) -> None:
    """F48: flapping errors are counted and bounded; `max_error_rate` decides the status."""
    async with Evil() as evil:
        flap = [answer({}, status="503 Busy"), answer(HITS)]
        evil.script = flap * N
        limits = {"concurrency": 1, "retries": 0}
        lenient = await run_against(store, redis_url, evil.url("script"), **limits)
        evil.script = flap * N
        strict = await run_against(
            store, redis_url, evil.url("script"), max_error_rate=0.4, **limits
        )
    assert tell(lenient) == tell(strict) == {"ok": N // 2, "http_5xx": N // 2}
    assert lenient.status is RunStatus.COMPLETED_WITH_ERRORS
    assert (strict.status, strict.metrics) == (RunStatus.FAILED, None)


async def test_longer_and_shorter_answers_are_flagged(store: Store, redis_url: str) -> None:
    """F43: hits beyond the depth are cut and counted, and so are answers that end early."""
    async with Evil() as evil:
        long = answer([{"id": f"d{number}"} for number in range(15)])
        evil.script = [long] * N
        cut = await run_against(store, redis_url, evil.url("script"))
        short = await run_against(store, redis_url, evil.url("repeats"))
    assert (cut.counts.cut_hits, cut.counts.short_answers) == (5 * N, 0)
    assert "long_answers_cut" in [finding.code for finding in cut.diagnostics]
    assert short.counts.short_answers in (0, N)  # only where a cut-off asks for more
