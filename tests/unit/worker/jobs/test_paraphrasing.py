"""A run whose model writes paraphrases, from the first call to the rescoring."""

import asyncio
import os
import signal
from typing import Any

import msgspec

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.results import Results
from reteval.contract.runs import AdversarialRequest, RunStatus
from service.queue import JobQueue
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import SHARD, Rescore, RunRecord
from service.store.sealing import join_headers, seal
from service.store.store import Store
from tests.endpoint import rankings, serve_answers
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs.execution import execute_next

KEY = "ZmFrZS1mZXJuZXQta2V5LW9mLTMyLWJ5dGVzLWxvbmc="
QUERIES = [query("one", a=1), query("two", b=1)]
SEARCH = rankings({"one": ["a"], "two": ["b"], "uno": ["x", "a"], "ein": []})


def settings(redis_url: str) -> Settings:
    """Return settings of a worker that may call loopback and read secrets."""
    return Settings.from_env(
        {
            "RETEVAL_REDIS_URL": redis_url,
            "RETEVAL_EGRESS": "loopback",
            "RETEVAL_LEASE_S": "2",
            "RETEVAL_SECRET_KEY": KEY,
        }
    )


def write(text: str) -> tuple[int, Any]:
    """Say `one` otherwise, twice; fail for any other query."""
    return (200, ["uno", "ein"]) if text == "one" else (400, {"error": "no"})


async def new_run(store: Store, url: str, model_url: str, secrets: bytes | None) -> RunRecord:
    """Store a run with a model."""
    spec = run_spec(await stored_test_set(store, QUERIES), url=url)
    model = Endpoint(url=model_url, headers={"X-Model": ""})
    attack = AdversarialRequest(kinds=["paraphrase.model"], model=model)
    request = msgspec.structs.replace(
        spec.request, adversarial=attack, endpoint=Endpoint(url=url, headers={"X-Search": ""})
    )
    spec = msgspec.structs.replace(spec, request=request)
    record, _ = await store.runs.create(
        DEFAULT_TENANT, spec, secrets=secrets, idempotency=None, queue="runs"
    )
    return record


async def report_of(store: Store, record: RunRecord) -> Results:
    """Read a run's report."""
    return msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, record.id), type=Results)


async def test_model_is_asked_once_and_its_texts_are_searched(store: Store, redis_url: str) -> None:
    """One call a query with the model's own headers; a failed one is counted, not dropped."""
    secrets = seal(KEY, join_headers({"X-Search": "s"}, {"X-Model": "m"}))
    with serve_answers(SEARCH) as endpoint, serve_answers(write) as model:
        record = await new_run(store, endpoint.url, model.url, secrets)
        await execute_next(settings(redis_url), record.queue)
    assert sorted(model.seen) == ["one", "two"]
    assert sorted(endpoint.seen) == ["ein", "one", "two", "uno"]
    assert {(sent.get("x-model"), sent.get("x-search")) for sent in model.headers} == {("m", None)}
    assert {(sent.get("x-model"), sent.get("x-search")) for sent in endpoint.headers} == {
        (None, "s")
    }
    report = await report_of(store, record)
    assert report.status is RunStatus.COMPLETED
    assert report.adversarial
    (kind,) = report.adversarial.kinds
    assert (kind.kind, kind.needs, kind.not_applicable) == (
        "paraphrase.model",
        1,
        {"model_failed": 1},
    )
    assert any("unverified" in limit for limit in report.adversarial.limits)
    assert any("http_4xx 1" in limit for limit in report.adversarial.limits)


async def test_rescoring_replays_what_the_model_wrote(store: Store, redis_url: str) -> None:
    """A run made of another's rankings has its variants and reasons, without a call."""
    with serve_answers(SEARCH) as endpoint, serve_answers(write) as model:
        record = await new_run(store, endpoint.url, model.url, None)
        await execute_next(settings(redis_url), record.queue)
    spec = msgspec.structs.replace(
        record.spec, id=new_id("run"), rescore=Rescore(parent=record.id, relevant_from=1)
    )
    again = await stored_run(store, spec)
    await execute_next(settings(redis_url), again.queue)
    assert len(model.seen) == 2
    before, after = await report_of(store, record), await report_of(store, again)
    assert before.adversarial
    assert after.adversarial
    assert before.adversarial.kinds[0].drop == after.adversarial.kinds[0].drop
    assert after.adversarial.kinds[0].not_applicable == {"model_failed": 1}
    assert before.adversarial.limits == after.adversarial.limits


async def test_run_taken_over_does_not_ask_again(store: Store, redis_url: str) -> None:
    """What another worker stored is what is sent, whatever the model would say now."""
    with serve_answers(SEARCH) as endpoint, serve_answers(write) as model:
        record = await new_run(store, endpoint.url, model.url, None)
        claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="other", lease_s=30)
        assert claim is not None
        planned = [PlannedRequest(query_id=QUERIES[at].id, text=QUERIES[at].query) for at in (0, 1)]
        await store.plans.put(claim, planned, clean=2, shard=SHARD)
        await store.claims.release(claim)
        await execute_next(settings(redis_url), record.queue)
    assert (model.seen, sorted(endpoint.seen)) == ([], ["one", "two"])


async def test_worker_that_drains_leaves_no_half_asked_plan(
    store: Store, queue: JobQueue, redis_url: str
) -> None:
    """Who takes the run over asks for every query, and nothing was searched meanwhile."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()
    held = False

    def hesitate(text: str) -> tuple[int, Any]:
        nonlocal held
        if text == "two" and not gate.is_set():
            held = True
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, ["uno"]

    with serve_answers(SEARCH) as endpoint, serve_answers(hesitate) as model:
        record = await new_run(store, endpoint.url, model.url, None)
        working = asyncio.create_task(execute_next(settings(redis_url), record.queue))
        while not held:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        await working
        gate.set()
        assert endpoint.seen == []
        assert (await queue.depth())["runs"] == 1
        await execute_next(settings(redis_url), record.queue)
    assert sorted(endpoint.seen) == ["one", "two", "uno", "uno"]
    assert (await report_of(store, record)).status is RunStatus.COMPLETED


async def test_run_cancelled_while_its_model_is_asked_ends_so(store: Store, redis_url: str) -> None:
    """Nothing is searched; the queries the model never answered are counted."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()
    held = False

    def hold(_text: str) -> tuple[int, Any]:
        nonlocal held
        held = True
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return 200, []

    with serve_answers(SEARCH) as endpoint, serve_answers(hold) as model:
        record = await new_run(store, endpoint.url, model.url, None)
        working = asyncio.create_task(execute_next(settings(redis_url), record.queue))
        while not held:
            await asyncio.sleep(0.01)
        await store.runs.request_cancel(DEFAULT_TENANT, record.id)
        await working
        gate.set()
    report = await report_of(store, record)
    assert (report.status, endpoint.seen) == (RunStatus.CANCELLED, [])
    assert report.counts.skipped == 2
