"""Judgings as resources: make, show, list, stop, delete."""

import contextlib
from typing import Final

from msgspec import structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.judgings import Judging, JudgingPage, JudgingRequest, JudgingState
from reteval.contract.limits import MAX_NAME_BYTES
from reteval.contract.outcomes import FailureCode
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import TestSetRef
from reteval.contract.testsets import TestSet
from service.core.backend import Backend
from service.core.endpoint_checks import check_description, check_target
from service.core.endpoints import resolve_endpoint, strip_secrets
from service.core.jobs import await_end
from service.core.pointing import pointing_at
from service.core.runs import find_test_set
from service.core.texts import check_text
from service.errors import AlreadyTerminalError, InvalidError, NotFoundError
from service.store.bare_report import iso_time
from service.store.judging_records import JudgingRecord, JudgingSpec
from service.store.keys import JUDGING_PREFIX, new_id
from service.store.records import Idempotency
from service.store.sealing import join_numbered, seal

MAX_PAIRS: Final = 500_000
"""Pairs that a pool may come to have."""
POLL_S: Final = 1.0


async def create_judging(
    backend: Backend, request: JudgingRequest, *, idempotency: Idempotency | None = None
) -> Judging:
    """Accept a judging; nothing is sent yet.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such test set, run or saved endpoint.
        IdempotencyConflictError: another process took the key over.
    """
    test_set = await find_test_set(backend, request.test_set)
    _check(request, test_set)
    for place, run in enumerate(request.runs):
        await _check_run(backend, place, run)
    endpoints = [
        await _resolve(backend, place, endpoint) for place, endpoint in enumerate(request.endpoints)
    ]
    headers = [endpoint.headers for endpoint in endpoints]
    blank = [strip_secrets(endpoint) for endpoint in endpoints]
    spec = JudgingSpec(
        id=new_id(JUDGING_PREFIX.removesuffix("_")),
        name=request.name or test_set.name,
        request=structs.replace(request, test_set=test_set.id, endpoints=blank),
        test_set=name_set(test_set),
        scale_max=test_set.scale.max,
        queries=test_set.stats.queries,
        code_version=backend.code_version,
    )
    sealed = seal(backend.secret_key, join_numbered(headers)) if any(headers) else b""
    record = await backend.store.judgings.create(
        backend.tenant, spec, sealed=sealed, idempotency=idempotency
    )
    return await show(backend, record)


async def get_judging(backend: Backend, judging_id: str, *, wait_s: float = 0.0) -> Judging:
    """Return a judging as soon as no job is at work on it, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: there is none.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    if wait_s and record.state.busy:
        with contextlib.suppress(NotFoundError):
            await await_end(
                lambda: backend.store.steps.get(backend.tenant, record.job), wait_s=wait_s
            )
        record = await backend.store.judgings.get(backend.tenant, judging_id)
    return await show(backend, record)


async def list_judgings(backend: Backend, *, cursor: str, limit: int) -> JudgingPage:
    """Return a page of judgings, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("judgings", backend.tenant)
    found, position = await backend.store.judgings.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    items = [await show(backend, record) for record in found]
    return JudgingPage(items=tuple(items), next_cursor=cursors.issue(scope, position))


async def cancel_judging(backend: Backend, judging_id: str) -> Judging:
    """Ask the job that is at work to stop; what it has found stays.

    Raises:
        NotFoundError: there is no such judging.
        AlreadyTerminalError: no job is at work.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)
    if not record.state.busy:
        raise AlreadyTerminalError(f"No job is at work on judging {judging_id!r}.")
    await backend.store.steps.cancel(backend.tenant, record.job)
    return await show(backend, record)


async def delete_judging(backend: Backend, judging_id: str) -> None:
    """Delete a judging with its pool and its votes; the set it became stays.

    Raises:
        NotFoundError: there is none.
        JudgingBusyError: a job is at work on it.
    """
    await backend.store.judgings.delete(backend.tenant, judging_id)


async def show(backend: Backend, record: JudgingRecord) -> Judging:
    """Return a judging as its owners see it."""
    state, error = record.state, record.error
    if state.busy and (died := await _find_death(backend, record)):
        state, error = JudgingState.FAILED, died
    own = f"/v1/judgings/{record.id}"
    links = {"self": own, "test_set": f"/v1/test-sets/{record.spec.test_set.id}"}
    if record.pool.queries:
        links |= {"pairs": f"{own}/pairs", "review": f"{own}/review"}
    if record.frozen:
        links["frozen"] = f"/v1/test-sets/{record.frozen.id}"
    return Judging(
        id=record.id,
        name=record.spec.name,
        state=state,
        created_at=iso_time(record.created_ms),
        test_set=record.spec.test_set,
        request=record.spec.request,
        scale_max=record.spec.scale_max,
        links=links,
        job=record.job or None,
        error=error or None,
        pool=record.pool,
        judges=record.judges,
        review=record.review,
        frozen=record.frozen,
        poll_after_s=POLL_S if state.busy else None,
    )


def name_set(test_set: TestSet) -> TestSetRef:
    """Return which exact set it is."""
    return TestSetRef(
        id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
    )


async def _find_death(backend: Backend, record: JudgingRecord) -> str:
    """Return why the job ended that the judging still thinks is at work; empty while it is."""
    try:
        job = await backend.store.steps.get(backend.tenant, record.job)
    except NotFoundError:
        return FailureCode.INTERNAL_ERROR.value
    return (job.error or job.status.value) if job.status.terminal else ""


async def _resolve(backend: Backend, place: int, endpoint: Endpoint) -> Endpoint:
    with pointing_at(f"/endpoints/{place}", of="/endpoint"):
        resolved = await resolve_endpoint(backend, endpoint)
        items = check_description(resolved)
        if items:
            raise InvalidError("The judging breaks a rule.", errors=items)
        check_target(resolved, backend.policy)
        return resolved


async def _check_run(backend: Backend, place: int, run: str) -> None:
    try:
        record = await backend.store.runs.get(backend.tenant, run)
    except NotFoundError as exc:
        item = ProblemItem(
            pointer=f"/runs/{place}",
            message=f"there is no run {run!r}",
            fix="Take an id from GET /v1/runs.",
        )
        raise NotFoundError(exc.detail, errors=[item]) from exc
    if not record.status.terminal:
        item = ProblemItem(
            pointer=f"/runs/{place}",
            message=f"run {run!r} has not ended",
            fix="Wait for its end: only then are its rankings complete.",
        )
        raise InvalidError("The judging breaks a rule.", errors=[item])


def _check(request: JudgingRequest, test_set: TestSet) -> None:
    items = check_text(request.name, pointer="/name", max_bytes=MAX_NAME_BYTES)
    configs = len(request.endpoints) + len(request.runs)
    if not configs:
        items.append(
            ProblemItem(
                pointer="/endpoints",
                message="there is nothing to pool",
                fix="Give endpoints, or runs whose rankings are taken.",
            )
        )
    most = test_set.stats.queries * (request.depth * configs + request.random)
    if most > MAX_PAIRS:
        items.append(
            ProblemItem(
                pointer="/depth",
                message=f"the pool might have {most} pairs, more than {MAX_PAIRS}",
                fix="Pool less deeply: many shallow queries tell more than few deep ones.",
            )
        )
    if items:
        raise InvalidError("The judging breaks a rule.", errors=items)
