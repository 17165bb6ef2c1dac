"""Versions of a test set: made by changes, listed with what they changed, compared."""

from msgspec import structs

from reteval.contract.differences import Changes, DiffRow
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import TestSetRef
from reteval.contract.testsets import TestSet
from reteval.contract.versions import MAX_NOTE_BYTES, DiffPage, Version, VersionPage
from service.core.backend import Backend
from service.core.grants import TEST_SET, find_view
from service.core.ingest.changes import Stated, read_changes, read_ratings
from service.core.ingest.edits import Edits
from service.core.test_sets import Lineage, StagedSet, get_test_set, head_of, stage
from service.core.texts import check_text
from service.errors import InvalidError, NotFoundError
from service.store.differences import Differences, compare_heads


async def stage_changes(backend: Backend, ref: str, body: bytes) -> StagedSet:
    """Put a change set, sent as one JSON object, into effect beside its set.

    Raises:
        MalformedJsonError, InvalidError: it cannot be read, or what comes of it breaks a rule.
        NotFoundError: no such set, or it was deleted meanwhile.
    """
    parent = await get_test_set(backend, ref)
    note, edits = read_changes(body, head_of(parent))
    return await _stage(backend, Lineage(parent, note), edits)


async def stage_ratings(
    backend: Backend, ref: str, body: bytes, *, note: str, stated: Stated
) -> StagedSet:
    """Put ratings, sent as a table, into effect beside their set.

    Raises:
        MalformedTextError, InvalidError, NotFoundError: as `stage_changes`.
    """
    items = check_text(note, pointer="?note", max_bytes=MAX_NOTE_BYTES)
    if items:
        raise InvalidError("A query parameter is not valid.", errors=items)
    parent = await get_test_set(backend, ref)
    edits = read_ratings(body, head_of(parent), stated)
    return await _stage(backend, Lineage(parent, note), edits)


async def list_versions(backend: Backend, ref: str, *, cursor: str, limit: int) -> VersionPage:
    """Return a page of the living versions of a set's name, newest first.

    Who reads by a grant sees those that were granted.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: no such set.
    """
    cursors = await backend.cursors()
    name = (await get_test_set(backend, ref)).name
    scope = ("versions", backend.tenant, name)
    found, position = await backend.store.test_sets.page_versions(
        backend.tenant, name, before=cursors.read(scope, cursor), limit=limit
    )
    shown = [_show(test_set) for test_set in found if await _may_read(backend, test_set)]
    return VersionPage(items=tuple(shown), next_cursor=cursors.issue(scope, position))


async def diff(backend: Backend, ref: str, against: str, *, cursor: str, limit: int) -> DiffPage:
    """Return a page of how a set differs from another one, or from its parent.

    Raises:
        BadCursorError: the cursor belongs to another list.
        InvalidError: nothing to compare it with is named, and it has no parent.
        NotFoundError: one of the two is not there, or may not be read.
    """
    cursors = await backend.cursors()
    after = await get_test_set(backend, ref)
    if not (against or after.parent):
        item = ProblemItem(
            pointer="?against",
            message="the set was not made from another one",
            fix="Name the set that it is to be compared with.",
        )
        raise InvalidError("A query parameter is not valid.", errors=[item])
    other, before = await _find_readable(backend, against or after.parent or "")
    scope = ("diff", before.id, after.id, backend.tenant)
    start = int(cursors.read(scope, cursor) or 0)
    changes, rows, total = await _read_rows(
        Differences(
            backend.store.test_sets.open(other.tenant, before.id),
            backend.store.test_sets.open(backend.tenant, after.id),
        ),
        range(start, start + limit),
    )
    for owner, test_set in ((other, before), (backend, after)):
        await get_test_set(owner, test_set.id)  # else its queries went while they were read
    position = str(start + limit) if start + limit < total else None
    return DiffPage(
        test_set=refer(after),
        against=refer(before),
        changes=structs.replace(changes, head=compare_heads(before, after)),
        items=tuple(rows),
        next_cursor=cursors.issue(scope, position),
    )


def refer(test_set: TestSet) -> TestSetRef:
    """Return what names exactly this set."""
    return TestSetRef(
        id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
    )


async def _stage(backend: Backend, lineage: Lineage, edits: Edits) -> StagedSet:
    parent = lineage.parent
    chunks = backend.store.test_sets.chunks(backend.tenant, parent.id)
    staged = await stage(backend, head_of(parent), edits.apply(chunks), lineage=lineage)
    if edits.passed != parent.stats.queries + parent.stats.variants:
        await staged.discard()
        raise NotFoundError(f"Test set {parent.id!r} was deleted while it was read.")
    return staged


async def _read_rows(differences: Differences, places: range) -> tuple[Changes, list[DiffRow], int]:
    """Return the counts, the rows at some places, and how many there are in all."""
    rows: list[DiffRow] = []
    passed = 0
    async for part in differences.rows():
        rows += part[max(0, places.start - passed) : max(0, places.stop - passed)]
        passed += len(part)
    return differences.changes, rows, passed


async def _find_readable(backend: Backend, ref: str) -> tuple[Backend, TestSet]:
    """Return a set of the caller's own, or one that it was granted, and how it is read."""
    caller = backend.identity
    own = backend.of(structs.replace(caller, tenant=caller.team, via=""))
    try:
        return own, await get_test_set(own, ref)
    except NotFoundError:
        view = await find_view(own, TEST_SET, ref)
        if view is None:
            raise
        return view, await get_test_set(view, ref)


async def _may_read(backend: Backend, test_set: TestSet) -> bool:
    caller = backend.identity
    if not caller.via:
        return True
    return await backend.store.grants.for_test_set(caller.team, test_set.id) is not None


def _show(test_set: TestSet) -> Version:
    return Version(
        id=test_set.id,
        version=test_set.version,
        hash=test_set.hash,
        created_at=test_set.created_at,
        created_by=test_set.created_by,
        parent=test_set.parent,
        note=test_set.note,
        changes=test_set.changes,
        queries=test_set.stats.queries + test_set.stats.variants,
        judgments=test_set.stats.judgments,
    )
