"""Previews in a worker: over a real store."""

from reteval.contract.outcomes import FailureCode
from reteval.contract.previews import PreviewReport, PreviewRequest
from reteval.contract.runs import AdversarialRequest, RunStatus
from service.queue import INTERACTIVE
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import PreviewRecord, PreviewSpec
from service.store.store import Store
from tests.factories import query, stored_test_set
from tests.unit.worker.jobs.test_execution import settings
from worker.adversarial.preview import name_queries, preview
from worker.jobs.execution import execute_next

KINDS = AdversarialRequest(kinds=["typo.mixed", "case.upper"], seed=7)


async def new_preview(
    store: Store, request: PreviewRequest, *, test_set: str | None = None
) -> PreviewRecord:
    """Store a preview."""
    spec = PreviewSpec(
        id=new_id("prv"), request=request, test_set=test_set, language="", code_version="0.1.0"
    )
    return await store.previews.create(DEFAULT_TENANT, spec, queue=INTERACTIVE)


async def work_on(
    store: Store, redis_url: str, record: PreviewRecord
) -> tuple[PreviewRecord, PreviewReport | None]:
    """Have a worker do it, and read it."""
    await execute_next(settings(redis_url), record.queue)
    ended = await store.previews.get(DEFAULT_TENANT, record.id)
    return ended, await store.previews.report(DEFAULT_TENANT, ended)


async def test_given_texts_are_previewed(store: Store, redis_url: str) -> None:
    """The report is what the generators make of them."""
    texts = ["reset forgotten password", "delete account"]
    record = await new_preview(store, PreviewRequest(queries=texts, adversarial=KINDS))
    assert await store.previews.report(DEFAULT_TENANT, record) is None
    ended, report = await work_on(store, redis_url, record)
    assert ended.status is RunStatus.COMPLETED
    assert report == preview(list(name_queries(texts)), KINDS)


async def test_a_test_set_is_previewed(store: Store, redis_url: str) -> None:
    """Its queries, under their own ids."""
    queries = [query(f"question number {at}", d1=1) for at in range(3)]
    made = await stored_test_set(store, queries)
    record = await new_preview(store, PreviewRequest(adversarial=KINDS), test_set=made.id)
    _, report = await work_on(store, redis_url, record)
    assert report is not None
    assert report == preview(queries, KINDS)


async def test_a_preview_that_breaks_fails_with_a_reason(store: Store, redis_url: str) -> None:
    """It ends, and says that the fault is ours."""
    broken = AdversarialRequest(kinds=["typo.none"])
    record = await new_preview(store, PreviewRequest(queries=["x"], adversarial=broken))
    ended, report = await work_on(store, redis_url, record)
    assert (ended.status, ended.error, report) == (
        RunStatus.FAILED,
        FailureCode.INTERNAL_ERROR,
        None,
    )
