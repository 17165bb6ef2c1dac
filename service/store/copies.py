"""Whole objects as they are stored, read piece by piece for a backup."""

from collections.abc import AsyncIterator
from typing import Final

from service.errors import NotFoundError
from service.store import keys
from service.store.arrivals import Arrival
from service.store.connection import Connection
from service.store.fragments import (
    ID,
    KINDS,
    Closing,
    Digest,
    Dropped,
    Fragment,
    Opening,
    Piece,
    Seen,
    in_order,
    kind_of,
)
from service.store.quotas import NO_QUOTAS, Quotas
from service.store.scripts import Scripts

PIECE_BYTES: Final = 1_000_000
_FIELDS: Final = 8
"""Fields read at once."""
_INDEXES: Final = {"ts": keys.test_sets, "run": keys.runs, "jdg": keys.judgings}
_AT_WORK: Final = (b"queued", b"running")


class Copies:
    """Reads and writes whole test sets, ended runs, and judgings that no job is at work on."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def read(self, tenant: str, object_id: str) -> AsyncIterator[Fragment]:
        """Yield an object's fragments, always in the same order.

        Raises:
            NotFoundError: there is no such object, or it has not ended.
        """
        last_job = await self._last_job(tenant, object_id)
        opening = await self._open(tenant, object_id)
        if opening is None:
            raise NotFoundError(f"There is no {object_id!r} that is complete.")
        yield opening
        digest = Digest(opening)
        for part in KINDS[kind_of(object_id)].parts:
            async for piece in self._pieces(keys.job_part(tenant, object_id, part), part):
                digest.add(piece)
                yield piece
        whole = await self._connection.exists(keys.job(tenant, object_id))
        whole = whole and await self._last_job(tenant, object_id) == last_job
        yield Closing(object_id, digest.hex()) if whole else Dropped(object_id)

    async def digest(self, tenant: str, object_id: str) -> str | None:
        """Return the content hash of an object, None where there is none."""
        try:
            async for fragment in self.read(tenant, object_id):
                if isinstance(fragment, Closing):
                    return fragment.digest
        except NotFoundError:
            pass
        return None

    async def exists(self, tenant: str, object_id: str) -> bool:
        """Tell whether an object of this id is there, complete or not."""
        return await self._connection.exists(keys.job(tenant, object_id))

    async def seen(self, tenant: str, holdout: str) -> Seen:
        """Return which runs looked at a hold-out."""
        return Seen(holdout, await self._connection.zscores(keys.looks(tenant, holdout)))

    async def is_at_work(self, tenant: str, judging_id: str) -> bool:
        """Tell whether a job is at work on a judging, or is about to be."""
        job = await self._last_job(tenant, judging_id)
        status = await self._connection.hget(keys.job(tenant, job.decode()), "status")
        return status in _AT_WORK

    def receive(self, tenant: str, opening: Opening, *, quotas: Quotas = NO_QUOTAS) -> Arrival:
        """Begin to write an object back.

        Raises:
            MalformedBackupError: what is announced is no test set and no ended run.
        """
        return Arrival(self._connection, self._scripts, tenant, opening, quotas)

    async def _open(self, tenant: str, object_id: str) -> Opening | None:
        if not ID.fullmatch(object_id):
            return None
        kind = kind_of(object_id)
        fields = await self._connection.hgetall(keys.job(tenant, object_id))
        position = await self._connection.zscore(_INDEXES[kind](tenant), object_id)
        if position is None or (kind == "run" and "finished_ms" not in fields):
            return None
        if kind == "jdg":
            if await self.is_at_work(tenant, object_id):
                return None
            fields["bytes"] = await self._connection.hget(keys.sizes(tenant), object_id) or b"0"
        head = {name: fields[name] for name in KINDS[kind].head if name in fields}
        return Opening(object_id, head, position)

    async def _last_job(self, tenant: str, object_id: str) -> bytes:
        """Return the job that changed a judging last; what people vote only adds to it."""
        return await self._connection.hget(keys.job(tenant, object_id), "job") or b""

    async def _pieces(self, key: str, part: str) -> AsyncIterator[Piece]:
        if part == "report":
            blob = await self._connection.get(key)
            if blob is not None:
                yield Piece(part, {"": blob})
            return
        names = sorted(await self._connection.hkeys(key), key=in_order)
        fields: dict[str, bytes] = {}
        for start in range(0, len(names), _FIELDS):
            some = names[start : start + _FIELDS]
            blobs = await self._connection.hmget(key, some)
            fields |= {name: blob for name, blob in zip(some, blobs, strict=True) if blob}
            if sum(map(len, fields.values())) >= PIECE_BYTES:
                yield Piece(part, fields)
                fields = {}
        if fields:
            yield Piece(part, fields)
