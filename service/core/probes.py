"""Probes: check what is asked for, have a worker send a few queries, show what came back."""

from typing import Final

from msgspec import structs

from reteval.contract.probes import MAX_QUERIES, Probe, ProbeRequest
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend
from service.core.endpoint_checks import check_description, check_target
from service.core.endpoints import resolve_endpoint, strip_secrets
from service.core.jobs import await_end, wake
from service.core.runs import find_test_set
from service.errors import InvalidError
from service.queue import INTERACTIVE
from service.store.bare_report import iso_time
from service.store.keys import PROBE_PREFIX, new_id
from service.store.records import Idempotency, ProbeRecord, ProbeSpec
from service.store.sealing import seal

POLL_S: Final = 0.5


async def open_probe(
    backend: Backend,
    request: ProbeRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> Probe:
    """Accept a probe, and answer it as soon as it has ended or after `wait_s` seconds.

    Raises:
        InvalidError, EndpointNotAllowedError, SecretsUnavailableError: the request is refused.
        NotFoundError: no such test set or saved endpoint.
        QuotaExceededError: the team may send no more queries today.
        IdempotencyConflictError: another process took the key over.
    """
    request = structs.replace(request, endpoint=await resolve_endpoint(backend, request.endpoint))
    _check(request)
    check_target(request.endpoint, backend.policy)
    test_set = await find_test_set(backend, request.test_set) if request.test_set else None
    headers = request.endpoint.headers
    spec = ProbeSpec(
        id=new_id(PROBE_PREFIX.removesuffix("_")),
        request=structs.replace(request, endpoint=strip_secrets(request.endpoint)),
        test_set=test_set.id if test_set else None,
        code_version=backend.code_version,
    )
    record = await backend.store.probes.create(
        backend.tenant,
        spec,
        secrets=seal(backend.secret_key, headers) if headers else None,
        queue=INTERACTIVE,
        queries=len(request.queries) or MAX_QUERIES,
        quotas=backend.quotas,
        idempotency=idempotency,
    )
    await wake(backend, record.id, record)
    return await get_probe(backend, record.id, wait_s=wait_s)


async def get_probe(backend: Backend, probe_id: str, *, wait_s: float) -> Probe:
    """Return a probe as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such probe.
    """
    record = await await_end(
        lambda: backend.store.probes.get(backend.tenant, probe_id), wait_s=wait_s
    )
    return await _show(backend, record)


async def _show(backend: Backend, record: ProbeRecord) -> Probe:
    links = {"self": f"/v1/probes/{record.id}"}
    if record.spec.test_set:
        links["test_set"] = f"/v1/test-sets/{record.spec.test_set}"
    return Probe(
        id=record.id,
        status=record.status,
        created_at=iso_time(record.created_ms),
        endpoint=record.spec.request.endpoint,
        links=links,
        error=record.error,
        poll_after_s=None if record.status.terminal else POLL_S,
        report=await backend.store.probes.report(backend.tenant, record),
    )


def _check(request: ProbeRequest) -> None:
    items = check_description(request.endpoint)
    if request.test_set is None and not request.queries:
        items.append(
            ProblemItem(
                pointer="/queries",
                message="there is nothing to send",
                fix="Give up to five queries, or a test set to take them from.",
            )
        )
    if items:
        raise InvalidError("The probe breaks a rule.", errors=items)
