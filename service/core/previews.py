"""Previews: check what is asked for, have a worker make the variants, show them."""

from typing import Final

from reteval.contract.previews import Preview, PreviewRequest
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend
from service.core.jobs import await_end, wake
from service.core.run_checks import check_adversarial
from service.core.runs import find_test_set
from service.errors import InvalidError
from service.queue import INTERACTIVE
from service.store.bare_report import iso_time
from service.store.keys import PREVIEW_PREFIX, new_id
from service.store.records import Idempotency, PreviewRecord, PreviewSpec

POLL_S: Final = 0.5


async def open_preview(
    backend: Backend,
    request: PreviewRequest,
    *,
    wait_s: float,
    idempotency: Idempotency | None = None,
) -> Preview:
    """Accept a preview, and answer it as soon as it has ended or after `wait_s` seconds.

    Raises:
        InvalidError: the request is refused.
        NotFoundError: no such test set.
        IdempotencyConflictError: another process took the key over.
    """
    _check(request)
    test_set = await find_test_set(backend, request.test_set) if request.test_set else None
    spec = PreviewSpec(
        id=new_id(PREVIEW_PREFIX.removesuffix("_")),
        request=request,
        test_set=test_set.id if test_set else None,
        language=test_set.language if test_set else request.language,
        code_version=backend.code_version,
    )
    record = await backend.store.previews.create(
        backend.tenant, spec, queue=INTERACTIVE, idempotency=idempotency
    )
    await wake(backend, record.id, record)
    return await get_preview(backend, record.id, wait_s=wait_s)


async def get_preview(backend: Backend, preview_id: str, *, wait_s: float) -> Preview:
    """Return a preview as soon as it has ended, or as it is after `wait_s` seconds.

    Raises:
        NotFoundError: no such preview.
    """
    record = await await_end(
        lambda: backend.store.previews.get(backend.tenant, preview_id), wait_s=wait_s
    )
    return await _show(backend, record)


async def _show(backend: Backend, record: PreviewRecord) -> Preview:
    links = {"self": f"/v1/adversarial/previews/{record.id}"}
    if record.spec.test_set:
        links["test_set"] = f"/v1/test-sets/{record.spec.test_set}"
    return Preview(
        id=record.id,
        status=record.status,
        created_at=iso_time(record.created_ms),
        links=links,
        error=record.error,
        poll_after_s=None if record.status.terminal else POLL_S,
        report=await backend.store.previews.report(backend.tenant, record),
    )


def _check(request: PreviewRequest) -> None:
    items = list(check_adversarial(request.adversarial))
    if request.adversarial.model is not None:
        items.append(
            ProblemItem(
                pointer="/adversarial/model",
                message="a preview calls nothing, hence no model either",
                fix="Leave it out; the variants of a run show what its model wrote.",
            )
        )
    if bool(request.queries) == (request.test_set is not None):
        items.append(
            ProblemItem(
                pointer="/queries",
                message="give either queries or a test set",
                fix="Send up to 50 texts as `queries`, or a `test_set` to take the first of.",
            )
        )
    if items:
        raise InvalidError("The preview breaks a rule.", errors=items)
