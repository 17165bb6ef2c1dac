"""Test sets: take in, show, page, delete. Reading of formats is `ingest`'s, keys the store's."""

from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from reteval.contract.testsets import QueryPage, TestSet, TestSetHead, TestSetPage
from service.core.backend import Backend, to_iso
from service.core.ingest.draft import Draft, ingest
from service.core.ingest.located import Located
from service.core.ingest.ndjson import read_ndjson
from service.errors import NotFoundError
from service.store.records import Idempotency, TestSetDraft
from service.store.test_sets import Staging


class StagedSet(Struct, frozen=True):
    """An upload that was read and checked, and is not a test set yet."""

    staging: Staging
    draft: Draft

    async def discard(self) -> None:
        """Drop what is left of it; nothing is, once it was committed."""
        await self.staging.discard()


async def stage_ndjson(
    backend: Backend, head: TestSetHead, chunks: AsyncIterator[bytes]
) -> StagedSet:
    """Read a test set that arrives a query a line.

    Raises:
        MalformedJsonError, InvalidError: the body cannot be read, or breaks a rule.
        TooLargeError: a line is too long.
    """
    return await write_apart(backend, head, read_ndjson(chunks))


async def store_test_set(
    backend: Backend, staged: StagedSet, *, idempotency: Idempotency | None = None
) -> tuple[TestSet, bool]:
    """Make an upload a test set, or find the set that has the same name and content.

    The flag says whether it is new.

    Raises:
        InvalidError: the set breaks a rule.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    draft = staged.draft
    return await backend.store.test_sets.commit(
        backend.tenant,
        staged.staging,
        TestSetDraft(
            name=draft.head.name,
            hash=draft.hash,
            scale=draft.head.scale,
            relevant_from=draft.head.relevant_from,
            language=draft.head.language,
            id_rule=draft.head.id_rule,
            allow_unscorable=draft.head.allow_unscorable,
            stats=draft.stats,
            warnings=draft.warnings,
        ),
        created_at=to_iso(backend.now()),
        quotas=backend.quotas,
        idempotency=idempotency,
    )


async def get_test_set(backend: Backend, ref: str) -> TestSet:
    """Return a test set by its id, or the newest version of a name.

    Raises:
        NotFoundError: neither.
    """
    return await backend.store.test_sets.get(backend.tenant, ref)


async def list_test_sets(backend: Backend, *, cursor: str, limit: int) -> TestSetPage:
    """Return a page of test sets, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("test-sets", backend.tenant)
    found, position = await backend.store.test_sets.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return TestSetPage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def list_queries(backend: Backend, ref: str, *, cursor: str, limit: int) -> QueryPage:
    """Return a page of a set's queries in upload order.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: no such set.
    """
    cursors = await backend.cursors()
    test_set = await get_test_set(backend, ref)
    scope = ("queries", backend.tenant, test_set.id)
    offset = int(cursors.read(scope, cursor) or 0)
    found = await backend.store.test_sets.queries(
        backend.tenant, test_set.id, offset=offset, limit=limit + 1
    )
    position = str(offset + limit) if len(found) > limit else None
    return QueryPage(items=tuple(found[:limit]), next_cursor=cursors.issue(scope, position))


async def delete_test_set(backend: Backend, test_set_id: str) -> None:
    """Delete a set that no run refers to; by id only, as a name may mean many versions.

    Raises:
        NotFoundError: no such set.
        ReferencedError: runs refer to it.
    """
    found = await get_test_set(backend, test_set_id)
    if found.id != test_set_id:
        raise NotFoundError(
            f"{test_set_id!r} is a name; delete its newest version as {found.id!r}."
        )
    await backend.store.test_sets.delete(backend.tenant, found.id)


async def write_apart(
    backend: Backend, head: TestSetHead, located: AsyncIterator[Located] | Iterator[Located]
) -> StagedSet:
    """Check an upload and write it apart; nothing of a refused one stays in the store."""
    staging = await backend.store.test_sets.stage(backend.tenant)
    try:
        return StagedSet(staging, await ingest(located, head, staging.write))
    except BaseException:
        await staging.discard()
        raise
