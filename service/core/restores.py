"""Restoring a backup: each object is checked, staged, and made in one step; ids are kept."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final

import msgspec
import zstandard

from reteval.contract.backups import (
    MAX_FRAME_BYTES,
    BrokenBackupError,
    FrameReader,
    Restoration,
)
from reteval.contract.testsets import Query, TestSetHead
from service.core.admission import find_bound
from service.core.backend import Backend
from service.core.backups import Fragment, Header
from service.core.ingest.canon import ContentHash
from service.errors import MalformedBackupError, RestoreConflictError, StorageFullError
from service.store.arrivals import Arrival, Spec
from service.store.fragments import Closing, Digest, Dropped, Opening, Piece, Seen
from service.store.judging_records import JudgingSpec
from service.store.records import RunSpec, TestSetDraft

_ALLOCATION: Final = 1.25
_QUERIES: Final = msgspec.msgpack.Decoder(list[Query])
_FRAGMENTS: Final = msgspec.msgpack.Decoder(Fragment)


class Fate(StrEnum):
    """What became of an object, as `Restoration` names it."""

    RESTORED = "restored"
    SKIPPED = "skipped"
    KEPT = "kept"


async def restore(backend: Backend, pieces: AsyncIterator[bytes]) -> Restoration:
    """Read a backup and make what is not there yet; what has the same content is skipped.

    A judging that is here with other content was gone on with since, and is kept as it is. Objects
    before a broken or refused one stay; sending the file again goes on from there.

    Raises:
        MalformedBackupError: the file is damaged, incomplete or none of ours.
        RestoreConflictError: an object is here with other content.
        StorageFullError: an object that the store has no memory for.
        QuotaExceededError: an object that the team may not have, too.
    """
    fates: dict[Fate, list[str]] = {fate: [] for fate in Fate}
    current: _Restoring | None = None
    try:
        async for fragment in _read(pieces):
            if isinstance(fragment, Opening) and current is None:
                current = await _begin(backend, fragment)
            elif isinstance(fragment, Piece) and current is not None:
                await current.take(fragment)
            elif isinstance(fragment, Closing) and current is not None:
                fates[await current.finish(fragment)].append(fragment.id)
                current = None
            elif isinstance(fragment, Dropped) and current is not None:
                await current.discard()
                current = None
            elif isinstance(fragment, Seen) and current is None:
                await backend.store.looks.restore(backend.tenant, fragment.holdout, fragment.looks)
            else:
                raise MalformedBackupError("The backup's parts are out of order.")
    except BrokenBackupError as exc:
        done = sum(map(len, fates.values()))
        raise MalformedBackupError(
            f"Backup: {exc}; {done} objects before that are restored or were here."
        ) from exc
    finally:
        if current is not None:
            await current.discard()
    return Restoration(**{str(fate): tuple(ids) for fate, ids in fates.items()})


async def _read(pieces: AsyncIterator[bytes]) -> AsyncIterator[Fragment]:
    """Yield the fragments of a backup after its header."""
    frames = FrameReader()
    begun = False
    async for piece in pieces:
        for payload in frames.feed(piece):
            fragment = _decode(payload)
            if begun:
                yield fragment
            elif not isinstance(fragment, Header):
                raise MalformedBackupError("The backup has no header.")
            begun = True
            await asyncio.sleep(0)
    frames.close()


def _decode(payload: bytes) -> Fragment:
    try:
        return _FRAGMENTS.decode(_unpack(payload))
    except (zstandard.ZstdError, msgspec.MsgspecError) as exc:
        raise MalformedBackupError(f"A part cannot be read: {exc}") from exc


def _unpack(blob: bytes) -> bytes:
    """Decompress what says beforehand that it is not too large."""
    if zstandard.get_frame_parameters(blob).content_size > MAX_FRAME_BYTES:
        raise MalformedBackupError(f"A part unpacks to over {MAX_FRAME_BYTES:,} bytes.")
    return zstandard.decompress(blob)


async def _begin(backend: Backend, opening: Opening) -> "_Restoring":
    arrival = backend.store.copies.receive(backend.tenant, opening, quotas=backend.quotas)
    known = await backend.store.copies.digest(backend.tenant, opening.id)
    if known is None:
        if await backend.store.copies.exists(backend.tenant, opening.id):
            raise RestoreConflictError(f"{opening.id!r} is here, and a job is at work on it.")
        await _check_room(backend, opening)
        await _check_test_set(backend, arrival.spec)
    return _Restoring(opening, arrival, known)


async def _check_room(backend: Backend, opening: Opening) -> None:
    memory = await backend.store.sizes.memory()
    bound = find_bound(memory, backend.keeping.store_bytes)
    if not bound:
        return
    need = round(_ALLOCATION * int(opening.head["bytes"]))
    granted, left = await backend.store.reservations.take(
        backend.tenant, opening.id, need=need, kept=need, left=bound - memory.used
    )
    if not granted:
        raise StorageFullError(
            f"Restoring {opening.id!r} needs {need:,} bytes; {max(0, left):,} of the store's "
            f"{bound:,} are left. Objects before it in the backup are restored."
        )


async def _check_test_set(backend: Backend, spec: Spec) -> None:
    if not isinstance(spec, RunSpec):
        return
    test_set = await backend.store.test_sets.get(backend.tenant, spec.test_set.id)
    if test_set.hash != spec.test_set.hash:
        raise RestoreConflictError(
            f"Run {spec.id!r} was scored on other content than {test_set.id!r} has here."
        )


class _Restoring:
    """One object on its way: compared with what is here, or staged."""

    def __init__(self, opening: Opening, arrival: Arrival, known: str | None) -> None:
        self._opening = opening
        self._arrival = arrival
        self._known = known
        self._digest = Digest(opening)
        spec = arrival.spec
        self._content = ContentHash(_head(spec)) if isinstance(spec, TestSetDraft) else None
        self._report = b""

    async def take(self, piece: Piece) -> None:
        """Check the next piece, and stage it unless the object is here."""
        self._digest.add(piece)
        if self._content is not None:
            _add_queries(self._content, piece)
        if piece.part == "report":
            self._report = piece.fields.get("", b"")
        if self._known is None:
            await self._arrival.write(piece)

    async def finish(self, closing: Closing) -> Fate:
        """Make the object, unless it was here.

        Raises:
            MalformedBackupError: its hashes do not fit its content.
            RestoreConflictError: it is here with other content.
        """
        if closing != Closing(self._opening.id, self._digest.hex()) or not self._fits():
            raise MalformedBackupError(f"The content of {closing.id!r} does not have its hash.")
        if self._known is None:
            await self._arrival.commit()
            return Fate.RESTORED
        if self._known == closing.digest:
            return Fate.SKIPPED
        if isinstance(self._arrival.spec, JudgingSpec):
            return Fate.KEPT
        raise RestoreConflictError(f"{closing.id!r} is here already, with other content.")

    async def discard(self) -> None:
        """Forget what was staged."""
        await self._arrival.discard()

    def _fits(self) -> bool:
        """Whether the content has the hash that its own record states."""
        spec = self._arrival.spec
        if self._content is not None and isinstance(spec, TestSetDraft):
            return self._content.digest() == spec.hash
        if isinstance(spec, JudgingSpec):
            return True
        etag = self._opening.head.get("etag", b"").decode()
        return hashlib.sha256(self._report).hexdigest() == etag


def _head(draft: TestSetDraft) -> TestSetHead:
    return TestSetHead(
        name=draft.name,
        scale=draft.scale,
        relevant_from=draft.relevant_from,
        language=draft.language,
        id_rule=draft.id_rule,
    )


def _add_queries(content: ContentHash, piece: Piece) -> None:
    try:
        for number in sorted(piece.fields, key=int):
            for query in _QUERIES.decode(_unpack(piece.fields[number])):
                content.add(query, list(query.relevant or ()))
    except (ValueError, zstandard.ZstdError, msgspec.MsgspecError) as exc:
        raise MalformedBackupError(f"Queries cannot be read: {exc}") from exc
