"""Backups: whole test sets, ended runs and judgings as one stream; never endpoint secrets.

What is in a payload: a header, then each object's fragments, test sets before their runs; at the
end, who looked at the hold-outs of these runs.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from reteval.contract.backups import BackupRequest, FrameWriter
from reteval.contract.problems import ProblemItem
from service.core.backend import Backend, to_iso
from service.core.test_sets import get_test_set
from service.errors import InvalidError, JudgingBusyError, NotFoundError, NotTerminalError
from service.store import chunks
from service.store.fragments import Closing, Dropped, Opening, Piece, Seen

_PAGE: Final = 100
_ATTEMPTS: Final = 3


class Header(Struct, frozen=True, tag="backup"):
    """How every backup begins."""

    made_at: str
    code_version: str


Page = tuple[list[Any], str | None]
Fragment = Header | Opening | Piece | Closing | Dropped | Seen


async def back_up(backend: Backend, request: BackupRequest) -> AsyncIterator[bytes]:
    """Return a backup of what is asked for; everything is looked up before the first byte.

    Raises:
        InvalidError: nothing is asked for.
        NotFoundError: no such run, judging or test set.
        NotTerminalError: a run that has not ended.
        JudgingBusyError: a judging that a job is at work on.
    """
    if not (request.all or request.runs or request.test_sets or request.judgings):
        item = ProblemItem(
            pointer="/runs",
            message="nothing is named",
            fix="Name `runs`, `judgings` or `test_sets`, or send `all: true`.",
        )
        raise InvalidError("The backup would be empty.", errors=[item])
    test_sets = [(await get_test_set(backend, ref)).id for ref in request.test_sets]
    for run_id in request.runs:
        record = await backend.store.runs.get(backend.tenant, run_id)
        if not record.status.terminal:
            raise NotTerminalError(f"Run {run_id!r} is {record.status.value}; wait for its end.")
        test_sets.append(record.spec.test_set.id)
    for judging_id in request.judgings:
        test_sets += await _sets_of(backend, judging_id)
    named = [*dict.fromkeys(test_sets), *dict.fromkeys([*request.runs, *request.judgings])]
    return _write(backend, _every(backend) if request.all else _each(named))


async def _sets_of(backend: Backend, judging_id: str) -> list[str]:
    """Return the set that is judged, and the one that came of it; they may be gone."""
    judging = await backend.store.judgings.get(backend.tenant, judging_id)
    if await backend.store.copies.is_at_work(backend.tenant, judging_id):
        raise JudgingBusyError(f"A job is at work on judging {judging_id!r}; wait for its end.")
    return [one.id for one in (judging.spec.test_set, judging.frozen) if one is not None]


async def _write(backend: Backend, object_ids: AsyncIterator[str]) -> AsyncIterator[bytes]:
    frames = FrameWriter()
    header = Header(made_at=to_iso(backend.now()), code_version=backend.code_version)
    yield frames.begin() + frames.frame(chunks.pack(header))
    holdouts: dict[bytes, None] = {}
    async for object_id in object_ids:
        async for fragment in _read(backend, object_id):
            if isinstance(fragment, Opening) and (holdout := fragment.head.get("holdout")):
                holdouts[holdout] = None
            yield frames.frame(chunks.pack(fragment))
    for holdout in holdouts:
        seen = await backend.store.copies.seen(backend.tenant, holdout.decode())
        yield frames.frame(chunks.pack(seen))
    yield frames.end()


async def _read(backend: Backend, object_id: str) -> AsyncIterator[Fragment]:
    """Read an object, again where it changed meanwhile; nothing of one that is gone."""
    for _ in range(_ATTEMPTS):
        fragment: Fragment | None = None
        with contextlib.suppress(NotFoundError):  # deleted since it was named
            async for fragment in backend.store.copies.read(backend.tenant, object_id):
                yield fragment
        if not isinstance(fragment, Dropped):
            return


async def _each(object_ids: Sequence[str]) -> AsyncIterator[str]:
    for object_id in object_ids:
        yield object_id


async def _every(backend: Backend) -> AsyncIterator[str]:
    """Yield every test set, every run that has ended, and every judging, newest first."""
    written: set[str] = set()
    async for test_set in _all(backend, backend.store.test_sets.page):
        written.add(test_set.id)
        yield test_set.id
    async for run in _all(backend, backend.store.runs.page):
        if not run.status.terminal:
            continue
        if run.spec.test_set.id not in written:  # uploaded since they were listed
            written.add(run.spec.test_set.id)
            yield run.spec.test_set.id
        yield run.id
    async for judging in _all(backend, backend.store.judgings.page):
        yield judging.id


async def _all(backend: Backend, page: Callable[..., Awaitable[Page]]) -> AsyncIterator[Any]:
    position: str | None = None
    while True:
        found, position = await page(backend.tenant, before=position, limit=_PAGE)
        for one in found:
            yield one
        if position is None:
            return
