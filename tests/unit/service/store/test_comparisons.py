import pytest

from reteval.contract.comparisons import ComparisonRequest
from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.queue import INTERACTIVE
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import ComparisonRecord, ComparisonSpec
from service.store.store import Store


async def create(store: Store, *, content: str = "c") -> tuple[ComparisonRecord, bool]:
    """Create a comparison of two runs."""
    spec = ComparisonSpec(
        id=new_id("cmp"),
        request=ComparisonRequest(baseline="run_a", candidate="run_b"),
        code_version="0.1.0",
    )
    return await store.comparisons.create(DEFAULT_TENANT, spec, content=content, queue=INTERACTIVE)


async def end(store: Store, record: ComparisonRecord, status: RunStatus) -> None:
    """Claim a comparison and end it."""
    claim = await store.claims.claim(DEFAULT_TENANT, record.id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=status, report=b"", error="")


async def test_same_content_is_one_comparison(store: Store) -> None:
    """The same question is answered by the comparison that exists, ended or not."""
    first, made = await create(store)
    again, remade = await create(store)
    other, _ = await create(store, content="d")
    assert (True, False) == (made, remade)
    assert first == again
    assert other.id != first.id
    assert {first.id, other.id} == {job for _, _, job in await store.jobs.active()}


async def test_failed_comparison_is_made_anew(store: Store) -> None:
    """A failure is not remembered as the answer."""
    first, _ = await create(store)
    await end(store, first, RunStatus.FAILED)
    again, made = await create(store)
    assert made
    assert again.id != first.id
    assert None is await store.comparisons.report(DEFAULT_TENANT, again)


async def test_unknown_or_foreign_ids_are_not_found(store: Store) -> None:
    """Neither an unknown id nor a run's is a comparison; jobs of no kind have no state."""
    for name in ("cmp_none", "run_none"):
        with pytest.raises(NotFoundError):
            await store.comparisons.get(DEFAULT_TENANT, name)
        with pytest.raises(NotFoundError):
            await store.jobs.state(DEFAULT_TENANT, name)
