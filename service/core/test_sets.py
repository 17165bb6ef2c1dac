"""Test sets: take in, show, page, delete. Reading of formats is `ingest`'s, keys the store's."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator

from msgspec import Struct, structs

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.differences import Changes
from reteval.contract.testsets import Query, QueryPage, TestSet, TestSetHead, TestSetPage
from service.core.backend import Backend, to_iso
from service.core.ingest.draft import Draft, ingest
from service.core.ingest.located import Located
from service.core.ingest.ndjson import read_ndjson
from service.errors import NotFoundError
from service.store.differences import compare_heads, count_changes
from service.store.records import Idempotency, TestSetDraft
from service.store.staging import Staging


class Lineage(Struct, frozen=True):
    """What a set is made from, and why."""

    parent: TestSet
    note: str = ""


class StagedSet(Struct, frozen=True):
    """An upload that was read and checked, and is not a test set yet."""

    staging: Staging
    draft: Draft
    lineage: Lineage | None = None

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
    return await stage(backend, head, read_ndjson(chunks))


async def stage_rewritten(
    backend: Backend, test_set: TestSet, rewrite: Callable[[Query], Query], *, note: str
) -> StagedSet:
    """Read a stored test set with each query rewritten, to become another version of it.

    Raises:
        InvalidError: what it became breaks a rule.
    """
    queries = _rewrite(backend, test_set, rewrite)
    return await stage(backend, head_of(test_set), queries, lineage=Lineage(test_set, note))


def head_of(test_set: TestSet) -> TestSetHead:
    """Return what a stored set says of itself apart from its queries."""
    return TestSetHead(**{name: getattr(test_set, name) for name in TestSetHead.__struct_fields__})


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
    draft, lineage = staged.draft, staged.lineage
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
            parent=lineage.parent.id if lineage else None,
            note=lineage.note if lineage else "",
            created_by=backend.identity.key,
            changes=await _count_changes(backend, staged, lineage.parent) if lineage else None,
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


async def list_test_sets(backend: Backend, *, name: str, cursor: str, limit: int) -> TestSetPage:
    """Return a page of test sets, newest first; of a name, its living versions.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("test-sets", backend.tenant, name)
    before = cursors.read(scope, cursor)
    tenant, stored = backend.tenant, backend.store.test_sets
    if name:
        found, position = await stored.page_versions(tenant, name, before=before, limit=limit)
    else:
        found, position = await stored.page(tenant, before=before, limit=limit)
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


async def stage(
    backend: Backend,
    head: TestSetHead,
    located: AsyncIterator[Located] | Iterator[Located],
    *,
    lineage: Lineage | None = None,
) -> StagedSet:
    """Check queries and write them apart; nothing of a refused set stays in the store.

    Whose judgments a set has is told of every version that comes of it.

    Raises:
        InvalidError: they break a rule.
    """
    staging = await backend.store.test_sets.stage(backend.tenant)
    try:
        draft = await ingest(located, head, staging.write)
        judges = [
            one
            for one in (lineage.parent.warnings if lineage else ())
            if one.code is DiagnosticCode.POOLED_JUDGMENTS
        ]
        draft = structs.replace(draft, warnings=(*draft.warnings, *judges))
        return StagedSet(staging, draft, lineage)
    except BaseException:
        await staging.discard()
        raise


async def _rewrite(
    backend: Backend, test_set: TestSet, rewrite: Callable[[Query], Query]
) -> AsyncGenerator[Located, None]:
    done = 0
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set.id):
        for row, query in enumerate(queries, start=done + 1):
            yield Located(query=rewrite(query), row=row)
        done += len(queries)


async def _count_changes(backend: Backend, staged: StagedSet, parent: TestSet) -> Changes:
    await staged.staging.seal()
    before = backend.store.test_sets.open(backend.tenant, parent.id)
    changes = await count_changes(before, staged.staging.written())
    return structs.replace(changes, head=compare_heads(parent, staged.draft.head))
