"""Backups: whole test sets and ended runs as one stream. Endpoint secrets are never in it.

What is in a payload: a header, then each object's fragments, test sets before their runs.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.backups import BackupRequest, FrameWriter
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend, to_iso
from service.core.test_sets import get_test_set
from service.errors import InvalidError, NotFoundError, NotTerminalError
from service.store import chunks
from service.store.copies import Closing, Dropped, Opening, Piece

_PAGE: Final = 100


class Header(Struct, frozen=True, tag="backup"):
    """How every backup begins."""

    made_at: str
    code_version: str


Fragment = Header | Opening | Piece | Closing | Dropped


async def back_up(backend: Backend, request: BackupRequest) -> AsyncIterator[bytes]:
    """Return a backup of what is asked for; everything is looked up before the first byte.

    Raises:
        InvalidError: nothing is asked for.
        NotFoundError: no such run or test set.
        NotTerminalError: a run that has not ended.
    """
    if not (request.all or request.runs or request.test_sets):
        item = ProblemItem(
            pointer="/runs",
            message="nothing is named",
            fix="Name `runs` or `test_sets`, or send `all: true`.",
        )
        raise InvalidError("The backup would be empty.", errors=[item])
    test_sets = [(await get_test_set(backend, ref)).id for ref in request.test_sets]
    for run_id in request.runs:
        record = await backend.store.runs.get(backend.tenant, run_id)
        if not record.status.terminal:
            raise NotTerminalError(f"Run {run_id!r} is {record.status.value}; wait for its end.")
        test_sets.append(record.spec.test_set.id)
    named = [*dict.fromkeys(test_sets), *dict.fromkeys(request.runs)]
    return _write(backend, _every(backend) if request.all else _each(named))


async def _write(backend: Backend, object_ids: AsyncIterator[str]) -> AsyncIterator[bytes]:
    frames = FrameWriter()
    header = Header(made_at=to_iso(backend.now()), code_version=backend.code_version)
    yield frames.begin() + frames.frame(chunks.pack(header))
    async for object_id in object_ids:
        try:
            async for fragment in backend.store.copies.read(backend.tenant, object_id):
                yield frames.frame(chunks.pack(fragment))
        except NotFoundError:  # deleted since it was named
            continue
    yield frames.end()


async def _each(object_ids: Sequence[str]) -> AsyncIterator[str]:
    for object_id in object_ids:
        yield object_id


async def _every(backend: Backend) -> AsyncIterator[str]:
    """Yield every test set, then every run that has ended, newest first."""
    store, tenant = backend.store, backend.tenant
    written: set[str] = set()
    position: str | None = None
    while True:
        test_sets, position = await store.test_sets.page(tenant, before=position, limit=_PAGE)
        for test_set in test_sets:
            written.add(test_set.id)
            yield test_set.id
        if position is None:
            break
    while True:
        runs, position = await store.runs.page(tenant, before=position, limit=_PAGE)
        for run in runs:
            if not run.status.terminal:
                continue
            if run.spec.test_set.id not in written:  # uploaded since they were listed
                written.add(run.spec.test_set.id)
                yield run.spec.test_set.id
            yield run.id
        if position is None:
            break
