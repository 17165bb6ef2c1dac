"""A retry: answers are taken over, what has none is sent, and nothing else."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.results import Results
from reteval.contract.runs import Limits, RetryRequest, RunRequest, RunStatus, Window
from reteval.contract.saved_endpoints import SavedEndpointRequest
from service.core.backend import Backend, Keeping, parse_policy
from service.core.endpoints import replace_endpoint, save_endpoint
from service.core.retrying import retry
from service.core.runs import create_run
from service.errors import InvalidError, NothingToRetryError, NotTerminalError
from service.queue import RUNS, JobQueue
from service.settings import Settings
from service.store.keys import DEFAULT_TENANT
from service.store.records import Rescore, RunRecord
from service.store.sealing import seal
from service.store.store import Store
from tests.endpoint import serve_answers
from tests.factories import query, run_spec, stored_run, stored_test_set
from worker.jobs.execution import execute_next

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
TEXTS = [f"question {number}" for number in range(12)]
QUERIES = [query(text, **{f"d{number}": 1}) for number, text in enumerate(TEXTS)]


@pytest.fixture
def backend(store: Store, queue: JobQueue) -> Backend:
    """Return what the API's use cases stand on."""
    return Backend(
        store=store,
        queue=queue,
        policy=parse_policy("loopback", (), ()),
        egress="loopback",
        secret_key=KEY,
        code_version="0.1.0",
        keeping=Keeping(),
        now=lambda: datetime.now(UTC),
    )


async def work_off(store: Store, redis_url: str) -> None:
    """Do all that waits, in shards of five requests."""
    settings = Settings.from_env(
        {
            "RETEVAL_REDIS_URL": redis_url,
            "RETEVAL_EGRESS": "loopback",
            "RETEVAL_SECRET_KEY": KEY,
            "RETEVAL_SHARD_SIZE": "5",
        }
    )
    while await store.jobs.active():
        await execute_next(settings, RUNS)


async def ended_run(store: Store, redis_url: str, url: str) -> RunRecord:
    """Carry out a run that sends a header, and return its record."""
    spec = run_spec(await stored_test_set(store, QUERIES), url=url, headers={"X-Key": ""})
    limits = Limits(concurrency=1, retries=0, max_error_rate=0.1)
    request = msgspec.structs.replace(spec.request, limits=limits)
    record, _ = await store.runs.create(
        DEFAULT_TENANT,
        msgspec.structs.replace(spec, request=request),
        secrets=seal(KEY, {"X-Key": "first"}),
        idempotency=None,
        queue=RUNS,
    )
    await work_off(store, redis_url)
    return await store.runs.get(DEFAULT_TENANT, record.id)


def answer_all(text: str) -> tuple[int, Any]:
    """Answer every question well."""
    return 200, [f"d{TEXTS.index(text)}"]


def answer_half(text: str) -> tuple[int, Any]:
    """Refuse odd questions."""
    return (400, {}) if TEXTS.index(text) % 2 else answer_all(text)


async def test_only_what_has_no_answer_is_sent(
    store: Store, backend: Backend, redis_url: str
) -> None:
    """The child has all answers of its parent, and asks for the others with the key given."""
    with serve_answers(answer_half) as endpoint:
        parent = await ended_run(store, redis_url, endpoint.url)
        assert parent.status is RunStatus.FAILED
        endpoint.answer = answer_all
        sent = len(endpoint.seen)
        child = await retry(
            backend, parent.id, RetryRequest(label="again", headers={"x-key": "second"})
        )
        assert (child.parent, child.label, child.planned.clean) == (parent.id, "again", 6)
        await work_off(store, redis_url)
    assert sorted(endpoint.seen[sent:]) == sorted(TEXTS[1::2])
    assert {headers["x-key"] for headers in endpoint.headers[sent:]} == {"second"}
    report = msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, child.id), type=Results)
    assert (report.status, report.counts.ok) == (RunStatus.COMPLETED, 12)
    assert report.metrics is not None
    assert report.metrics["mrr"].mean == 1.0
    with pytest.raises(NothingToRetryError, match="no request without an answer"):
        await retry(backend, child.id, RetryRequest())


async def test_saved_endpoint_still_has_its_secrets(
    store: Store, backend: Backend, redis_url: str
) -> None:
    """The child of a run over a saved endpoint needs no key, unless the endpoint moved."""
    test_set = await stored_test_set(store, QUERIES)
    with serve_answers(answer_half) as endpoint:
        described = Endpoint(url=endpoint.url, headers={"X-Key": "kept"})
        saved = SavedEndpointRequest(name="mine", endpoint=described)
        await save_endpoint(backend, saved)
        request = RunRequest(test_set=test_set.id, endpoint=Endpoint(saved="mine"))
        parent = await create_run(backend, request)
        await work_off(store, redis_url)
        sent = len(endpoint.headers)
        await retry(backend, parent.id, RetryRequest())
        await work_off(store, redis_url)
        assert {headers["x-key"] for headers in endpoint.headers[sent:]} == {"kept"}
        elsewhere = msgspec.structs.replace(described, url="http://127.0.0.1:9/search")
        moved = SavedEndpointRequest(name="mine", endpoint=elsewhere)
        await replace_endpoint(backend, "mine", moved, "*")
        with pytest.raises(InvalidError):
            await retry(backend, parent.id, RetryRequest())


async def test_what_cannot_be_retried_is_refused(
    store: Store, backend: Backend, redis_url: str
) -> None:
    """Missing keys, foreign headers and bad hours are named; runs that call nobody are refused."""
    with serve_answers(answer_half) as endpoint:
        parent = await ended_run(store, redis_url, endpoint.url)
    with pytest.raises(InvalidError) as missing:
        await retry(backend, parent.id, RetryRequest())
    assert [item.pointer for item in missing.value.errors] == ["/headers/X-Key"]
    with pytest.raises(InvalidError) as foreign:
        await retry(backend, parent.id, RetryRequest(headers={"X-Key": "s", "X-Other": "t"}))
    assert [item.pointer for item in foreign.value.errors] == ["/headers/X-Other"]
    never = Limits(window=Window(opens="10:00", closes="10:00"))
    with pytest.raises(InvalidError, match="breaks a rule"):
        await retry(backend, parent.id, RetryRequest(headers={"X-Key": "s"}, limits=never))
    spec = run_spec(await stored_test_set(store, QUERIES))
    waiting = await stored_run(store, spec)
    with pytest.raises(NotTerminalError):
        await retry(backend, waiting.id, RetryRequest())
    await store.runs.request_cancel(DEFAULT_TENANT, waiting.id)
    with pytest.raises(NothingToRetryError):
        await retry(backend, waiting.id, RetryRequest())
    rescored = await stored_run(
        store,
        msgspec.structs.replace(
            spec, id="run_child", rescore=Rescore(parent=parent.id, relevant_from=1)
        ),
    )
    await store.runs.request_cancel(DEFAULT_TENANT, rescored.id)
    with pytest.raises(NothingToRetryError, match="called no endpoint"):
        await retry(backend, rescored.id, RetryRequest())


async def test_retry_of_a_deleted_run_ends(store: Store, backend: Backend, redis_url: str) -> None:
    """A child whose parent is gone before it began says so, and is not tried for ever."""
    with serve_answers(answer_half) as endpoint:
        parent = await ended_run(store, redis_url, endpoint.url)
        child = await retry(backend, parent.id, RetryRequest(headers={"X-Key": "s"}))
        await store.runs.delete(DEFAULT_TENANT, parent.id)
        await work_off(store, redis_url)
    state = await store.runs.get(DEFAULT_TENANT, child.id)
    assert (state.status, state.error) == (RunStatus.FAILED, "parent_deleted")


async def test_early_end_counts_every_query(store: Store, backend: Backend, redis_url: str) -> None:
    """A child cancelled before it began counts all queries, not only those it would have sent."""
    with serve_answers(answer_half) as endpoint:
        parent = await ended_run(store, redis_url, endpoint.url)
        child = await retry(backend, parent.id, RetryRequest(headers={"X-Key": "s"}))
        await store.runs.request_cancel(DEFAULT_TENANT, child.id)
    report = msgspec.json.decode(await store.runs.results(DEFAULT_TENANT, child.id), type=Results)
    assert report.status is RunStatus.CANCELLED
    assert (child.planned.clean, report.num_queries) == (6, 12)
    assert (report.counts.planned, report.counts.skipped) == (12, 12)
