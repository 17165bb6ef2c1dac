"""`/metrics` as Prometheus reads it: queues, jobs, totals, the store, and this process."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
import redis
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from reteval.contract.runs import RunStatus
from service.queue import RUNS
from service.store.counters import Tally
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, run_body

DEAD = "redis://127.0.0.1:1/0"
RUNBOOK = (Path(__file__).parents[4] / "docs" / "operations.md").read_text(encoding="utf-8")


def read(families: Iterable[Metric], name: str) -> dict[tuple[str, ...], float]:
    """Return the samples of that name by their label values, in order of the labels' names."""
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
        if sample.name == name
    }


async def scrape(client: httpx.AsyncClient) -> list[Metric]:
    """Fetch and parse the page."""
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return list(text_string_to_metric_families(answer.text))


async def accept_run(client: httpx.AsyncClient, **changes: Any) -> str:
    """Create a run of the small set that nobody works on."""
    await client.post("/v1/test-sets", json=TEST_SET)
    made = await client.post("/v1/runs", json=run_body(**changes))
    run_id: str = made.json()["id"]
    return run_id


async def test_empty_deployment_has_every_queue(client: httpx.AsyncClient) -> None:
    """Without jobs the numbers are there and zero, so that an alarm can tell zero from absent."""
    seen = await scrape(client)
    assert read(seen, "reteval_store_up") == {(): 1}
    assert read(seen, "reteval_queue_age_seconds") == {("runs",): 0, ("interactive",): 0}
    assert read(seen, "reteval_workers") == {("runs",): 0, ("interactive",): 0}
    assert read(seen, "reteval_queue_units") == {
        (queue, state): 0
        for queue in ("runs", "interactive")
        for state in ("claimable", "held", "waiting")
    }
    assert read(seen, "reteval_store_used_bytes")[()] > 1_000
    assert read(seen, "reteval_store_findings") == {(): 0}


async def test_waiting_run_ages_until_it_is_held(
    client: httpx.AsyncClient, store: Store, redis_url: str
) -> None:
    """A run that nobody takes is a claimable unit that ages; a held one is not."""
    run_id = await accept_run(client)
    with redis.Redis.from_url(redis_url) as server:
        server.hincrby(f"t:{DEFAULT_TENANT}:run:{run_id}", "created_ms", -90_000)
    seen = await scrape(client)
    assert read(seen, "reteval_jobs") == {("run", "queued"): 1}
    assert read(seen, "reteval_queue_jobs") == {("runs",): 1, ("interactive",): 0}
    assert read(seen, "reteval_queue_calls")[("runs",)] == 1
    assert read(seen, "reteval_queue_units")[("runs", "claimable")] == 1
    assert 90 <= read(seen, "reteval_queue_age_seconds")[("runs",)] < 120
    assert await store.claims.take(RUNS, owner="w", lease_s=30)
    seen = await scrape(client)
    assert read(seen, "reteval_jobs") == {("run", "running"): 1}
    assert read(seen, "reteval_queue_units")[("runs", "held")] == 1
    assert read(seen, "reteval_queue_age_seconds")[("runs",)] == 0


async def test_run_that_waits_for_its_hour_is_no_backlog(
    client: httpx.AsyncClient, store: Store
) -> None:
    """A run given back until later waits; more workers would not help it."""
    await accept_run(client)
    claim = await store.claims.take(RUNS, owner="w", lease_s=30)
    assert claim is not None
    await store.claims.release(claim, wait_s=600)
    seen = await scrape(client)
    assert read(seen, "reteval_queue_units")[("runs", "waiting")] == 1
    assert read(seen, "reteval_queue_age_seconds")[("runs",)] == 0


async def test_ends_and_losses_are_counted(client: httpx.AsyncClient, store: Store) -> None:
    """How jobs ended and leases that lapsed are totals that outlive them."""
    cancelled = await accept_run(client)
    await client.post(f"/v1/runs/{cancelled}/cancel")
    failed = await accept_run(client)
    assert await store.claims.claim(DEFAULT_TENANT, failed, owner="dies", lease_s=-1)
    claim = await store.claims.claim(DEFAULT_TENANT, failed, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=RunStatus.FAILED, report=b"{}", error="endpoint_down")
    seen = await scrape(client)
    assert read(seen, "reteval_jobs_ended_total") == {
        ("run", "cancelled"): 1,
        ("run", "failed"): 1,
    }
    assert read(seen, "reteval_lease_losses_total") == {("lapsed",): 1}


async def test_totals_of_workers_are_shown(client: httpx.AsyncClient, store: Store) -> None:
    """What short-lived processes counted is read with its target and outcome."""
    tally = Tally(store.counters)
    tally.count("requests", "timeout", target="https://search.example:443", amount=7)
    tally.count("reaper", "woken")
    await tally.flush()
    seen = await scrape(client)
    assert read(seen, "reteval_requests_total") == {("timeout", "https://search.example:443"): 7}
    assert read(seen, "reteval_reaper_actions_total")[("woken",)] == 1


async def test_requests_are_counted_and_timed_by_operation(newborn: httpx.AsyncClient) -> None:
    """Every answer counts, errors and unknown routes too; one that was to wait is not timed."""
    await newborn.get("/v1/runs")
    await newborn.get("/v1/runs/none")
    await newborn.get("/v1/runs/none?wait=1")
    await newborn.get("/nowhere")
    seen = await scrape(newborn)
    answered = read(seen, "reteval_http_requests_total")
    assert answered[("listRuns", "200")] == 1
    assert answered[("getRun", "404")] == 2
    assert answered[("none", "404")] == 1
    timed = read(seen, "reteval_http_request_seconds_count")
    assert (timed[("listRuns",)], timed[("getRun",)]) == (1, 1)
    assert read(seen, "process_resident_memory_bytes")[()] > 1_000_000


async def test_page_answers_without_the_store(opens: Any) -> None:
    """While the store is away the page says so, and still has the numbers of the process."""
    async with opens(DEAD) as client:
        seen = await scrape(client)
        assert read(seen, "reteval_store_up") == {(): 0}
        assert read(seen, "reteval_queue_age_seconds") == {}
        assert read(seen, "process_resident_memory_bytes")[()] > 1_000_000


async def test_page_needs_the_key(redis_url: str, opens: Any) -> None:
    """It names endpoints of others, so it is open to those only who may use the API."""
    async with opens(redis_url, RETEVAL_AUTH="required", RETEVAL_API_KEY="team-key") as client:
        assert (await client.get("/metrics")).status_code == 401
        keyed = await client.get("/metrics", headers={"Authorization": "Bearer team-key"})
        assert keyed.status_code == 200


async def test_page_has_what_the_runbook_lists(client: httpx.AsyncClient, store: Store) -> None:
    """Name, type, labels and words of every number of ours are the table's, in its order."""
    await accept_run(client)
    tally = Tally(store.counters)
    for counter in ("reaper", "lease_losses", "schedules"):
        tally.count(counter, "x")
    tally.count("jobs_ended", "run/completed")
    tally.count("alerts", "failing/told")
    tally.count("requests", "ok", target="http://a:80")
    await tally.flush()
    listed = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in RUNBOOK.splitlines()
        if line.startswith("| `reteval_")
    ]
    shown = [
        [
            f"`{family.name}{'_total' if family.type == 'counter' else ''}`",
            family.type,
            {f"`{name}`" for name in family.samples[0].labels if name != "le"} or {"-"},
            family.documentation,
        ]
        for family in await scrape(client)
        if family.name.startswith("reteval_")
    ]
    listed = [[name, form, set(labels.split(", ")), about] for name, form, labels, about in listed]
    assert shown == listed
