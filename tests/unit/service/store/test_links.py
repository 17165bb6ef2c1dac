"""Links in the store: found by their id, bounded by run, gone when they expire."""

import pytest

from service.errors import InvalidError, NotFoundError
from service.store.keys import new_id
from service.store.links import LinkRecord
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


async def a_link(store: Store, run_id: str, *, created_ms: int = 1_000) -> LinkRecord:
    """Store a link that lives a minute."""
    link = LinkRecord(
        id=new_id("lnk"),
        team="default",
        run=run_id,
        digest=b"\x00\xff",
        created_ms=created_ms,
        created_by="key_1",
        expires_ms=created_ms + 60_000,
    )
    await store.links.create(link)
    return link


@pytest.fixture
async def run_id(store: Store) -> str:
    """Return the id of a run."""
    return (await stored_run(store, run_spec(await stored_test_set(store, [query()])))).spec.id


async def test_link_is_read_as_it_was_written(store: Store, run_id: str) -> None:
    """It is found without knowing whose run it opens."""
    link = await a_link(store, run_id)
    assert await store.links.find(link.id) == link
    assert await store.links.find("lnk_none") is None


async def test_link_needs_a_run(store: Store) -> None:
    """There is no link to nothing."""
    with pytest.raises(NotFoundError, match="run_none"):
        await a_link(store, "run_none")


async def test_expired_links_are_dropped_when_listed(store: Store, run_id: str) -> None:
    """Only living links are listed, oldest first, and only they count."""
    old = await a_link(store, run_id)
    first, second = [await a_link(store, run_id, created_ms=ms) for ms in (70_000, 80_000)]
    assert await store.links.of_run("default", run_id, now_ms=61_000) == [first, second]
    with pytest.raises(NotFoundError):
        await store.links.delete("default", run_id, old.id)


async def test_links_of_a_run_are_bounded(
    store: Store, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the bound some must be deleted first."""
    monkeypatch.setattr("service.store.links.MAX_LINKS", 1)
    first = await a_link(store, run_id)
    with pytest.raises(InvalidError, match="at most 1"):
        await a_link(store, run_id)
    await store.links.delete("default", run_id, first.id)
    assert await store.links.find(first.id) is None
    await a_link(store, run_id)
