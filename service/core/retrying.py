"""Retrying: a child run that takes over the answers of another one and sends the rest again."""

from msgspec import structs

from reteval.contract.outcomes import OutcomeStatus
from reteval.contract.runs import Estimate, RetryRequest, Run, RunRequest
from service.core.backend import Backend
from service.core.endpoint_checks import check_target
from service.core.endpoints import refill_secrets, strip_secrets
from service.core.estimates import estimate
from service.core.run_checks import check_names, check_window
from service.core.runs import accept
from service.errors import InvalidError, NothingToRetryError
from service.store.keys import new_id
from service.store.records import Idempotency, RunRecord, RunSpec

_STATUSES = tuple(OutcomeStatus)


async def retry(
    backend: Backend,
    run_id: str,
    request: RetryRequest,
    *,
    idempotency: Idempotency | None = None,
) -> Run:
    """Accept a child run that sends what its parent has no answer to.

    Raises:
        InvalidError: a rule is broken, or header values are missing.
        NotFoundError: no such run.
        NotTerminalError: the run has not ended.
        NothingToRetryError: everything was answered, or the run sent nothing itself.
        EndpointNotAllowedError: the endpoint may not be called any more.
        StorageFullError: the store has less memory left than the child may need.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    parent = await backend.store.runs.get(backend.tenant, run_id)
    whole, clean, variants = await _count_unanswered(backend, parent)
    changed = _change(parent.spec.request, request)
    endpoint = await refill_secrets(backend, changed.endpoint, request.headers)
    check_target(endpoint, backend.policy)
    rate = changed.limits.rate_per_s
    test_set = await backend.store.test_sets.get(backend.tenant, parent.spec.test_set.id)
    stats = parent.spec.portion.stats if parent.spec.portion else test_set.stats
    outlook = estimate(changed, stats, depth=parent.spec.depth, metrics=parent.spec.metrics)
    spec: RunSpec = structs.replace(
        parent.spec,
        id=new_id("run"),
        request=structs.replace(changed, endpoint=strip_secrets(endpoint)),
        planned=Estimate(
            clean=clean,
            adversarial=variants,
            seconds_at_rate=(clean + variants) / rate if rate else None,
            bytes=outlook.planned.bytes,
        ),
        egress=backend.egress,
        code_version=backend.code_version,
        retry=parent.id,
        clean=whole,
    )
    await backend.store.runs.use(backend.tenant, parent.id)
    return await accept(backend, spec, outlook, headers=endpoint.headers, idempotency=idempotency)


def _change(before: RunRequest, request: RetryRequest) -> RunRequest:
    changed = structs.replace(
        before,
        label=before.label if request.label is None else request.label,
        meta=before.meta if request.meta is None else request.meta,
        limits=before.limits if request.limits is None else request.limits,
    )
    items = [*check_names(changed), *check_window(changed.limits.window)]
    if items:
        raise InvalidError("The request breaks a rule.", errors=items)
    return changed


async def _count_unanswered(backend: Backend, parent: RunRecord) -> tuple[int, int, int]:
    """Return how many clean requests there are, how many lack an answer, and how many others do."""
    clean, _ = await backend.store.outcomes.plan_size(backend.tenant, parent.id)
    statuses = await backend.store.outcomes.statuses(backend.tenant, parent.id)
    lost = [not _STATUSES[status].answered for status in statuses]
    if parent.spec.rescore is not None or parent.spec.uploaded:
        raise NothingToRetryError(f"Run {parent.id!r} called no endpoint; start a new run instead.")
    if not any(lost):
        raise NothingToRetryError(
            f"Run {parent.id!r} has no request without an answer; start a new run instead."
        )
    return clean, sum(lost[:clean]), sum(lost[clean:])
