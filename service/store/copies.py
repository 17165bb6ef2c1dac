"""Whole objects as they are stored, read piece by piece for a backup and written back from one.

What arrives is staged, and becomes an object in one step; what is not committed expires.
"""

import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.runs import TERMINAL, RunStatus
from service.errors import MalformedBackupError, NotFoundError, RestoreConflictError
from service.store import keys
from service.store.connection import Connection
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import RunSpec, TestSetDraft
from service.store.scripts import Scripts, text
from service.store.test_sets import STAGING_MS

PIECE_BYTES: Final = 1_000_000
_FIELDS: Final = 8
"""Fields read at once."""
_ID: Final = re.compile(r"(run|ts)_[0-9A-Za-z]{1,64}")
_HEADS: Final = {
    "ts": ("draft", "version", "created", "bytes"),
    "run": (
        *("spec", "status", "queue", "error", "etag", "bytes", "pinned", "cancel", "schema"),
        *("created_ms", "started_ms", "finished_ms", "epoch", "attempts", "crash_count"),
        *("total", "done", "failed", "workers", "small"),
    ),
}
_PARTS: Final = {"ts": ("queries",), "run": keys.LASTING_PARTS}
_CHANGING: Final = ("pinned",)
"""Fields of a head that say nothing about what the object is."""


class Opening(Struct, frozen=True, tag="open"):
    """An object begins: fields of its record, and its place in the order of its kind."""

    id: str
    head: dict[str, bytes]
    position: str


class Piece(Struct, frozen=True, tag="piece"):
    """Some fields of a part; a part that is no hash has one field without a name."""

    part: str
    fields: dict[str, bytes]


class Closing(Struct, frozen=True, tag="close"):
    """An object is complete; the digest is over all of it."""

    id: str
    digest: str


class Dropped(Struct, frozen=True, tag="drop"):
    """The object was deleted while it was read: forget what came of it."""

    id: str


Fragment = Opening | Piece | Closing | Dropped


class Digest:
    """The content hash of an object, whatever pieces it comes in."""

    def __init__(self, opening: Opening) -> None:
        self._sha = hashlib.sha256()
        self._add("", {k: v for k, v in opening.head.items() if k not in _CHANGING})

    def add(self, piece: Piece) -> None:
        """Take the next piece."""
        self._add(piece.part, piece.fields)

    def hex(self) -> str:
        """Return the hash of what was taken so far."""
        return self._sha.hexdigest()

    def _add(self, part: str, fields: Mapping[str, bytes]) -> None:
        for name in sorted(fields, key=_in_order):
            self._sha.update(msgspec.msgpack.encode((part, name, fields[name])))


class Copies:
    """Reads and writes whole test sets and ended runs."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def read(self, tenant: str, object_id: str) -> AsyncIterator[Fragment]:
        """Yield an object's fragments, always in the same order.

        Raises:
            NotFoundError: there is no such object, or it has not ended.
        """
        opening = await self._open(tenant, object_id)
        if opening is None:
            raise NotFoundError(f"There is no {object_id!r} that is complete.")
        yield opening
        digest = Digest(opening)
        for part in _PARTS[_kind(object_id)]:
            async for piece in self._pieces(keys.job_part(tenant, object_id, part), part):
                digest.add(piece)
                yield piece
        whole = await self._connection.exists(keys.job(tenant, object_id))
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

    def receive(self, tenant: str, opening: Opening, *, quotas: Quotas = NO_QUOTAS) -> "Arrival":
        """Begin to write an object back.

        Raises:
            MalformedBackupError: what is announced is no test set and no ended run.
        """
        return Arrival(self._connection, self._scripts, tenant, opening, quotas)

    async def _open(self, tenant: str, object_id: str) -> Opening | None:
        if not _ID.fullmatch(object_id):
            return None
        kind = _kind(object_id)
        fields = await self._connection.hgetall(keys.job(tenant, object_id))
        index = keys.test_sets(tenant) if kind == "ts" else keys.runs(tenant)
        position = await self._connection.zscore(index, object_id)
        if position is None or (kind == "run" and "finished_ms" not in fields):
            return None
        head = {name: fields[name] for name in _HEADS[kind] if name in fields}
        return Opening(object_id, head, position)

    async def _pieces(self, key: str, part: str) -> AsyncIterator[Piece]:
        if part == "report":
            blob = await self._connection.get(key)
            if blob is not None:
                yield Piece(part, {"": blob})
            return
        names = sorted(await self._connection.hkeys(key), key=_in_order)
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


class Arrival:
    """An object on its way back into the store."""

    def __init__(
        self,
        connection: Connection,
        scripts: Scripts,
        tenant: str,
        opening: Opening,
        quotas: Quotas,
    ) -> None:
        self._connection = connection
        self._scripts = scripts
        self._tenant = tenant
        self._opening = opening
        self._quotas = encode_quotas(quotas)
        self._staging = keys.staging(tenant, secrets.token_hex(16))
        self._parts = _PARTS[_kind(opening.id)]
        self.spec = _read_head(opening)

    async def write(self, piece: Piece) -> None:
        """Stage a piece.

        Raises:
            MalformedBackupError: no part of such an object.
        """
        if piece.part not in self._parts:
            raise MalformedBackupError(f"{self._opening.id!r} has no part {piece.part!r}.")
        key = f"{self._staging}:{piece.part}"
        if piece.part == "report":
            await self._connection.set(key, piece.fields[""], lifetime_ms=STAGING_MS)
            return
        for name, blob in piece.fields.items():
            await self._connection.hset(key, name, blob)
        await self._connection.expire(key, STAGING_MS)

    async def discard(self) -> None:
        """Drop what was staged."""
        await self._connection.unlink(*(f"{self._staging}:{part}" for part in self._parts))

    async def commit(self) -> None:
        """Make it an object, whole, in one step.

        Raises:
            RestoreConflictError: its id or version is taken, or its test set is not there.
            QuotaExceededError: the team may not have another one of this size.
        """
        reply = await self._commit()
        check_refusal(reply)
        verdict = text(reply[0])
        if verdict != "restored":
            raise RestoreConflictError(_CONFLICTS[verdict].format(id=self._opening.id))

    async def _commit(self) -> Any:
        tenant, opening, spec = self._tenant, self._opening, self.spec
        fields = [word for field in opening.head.items() for word in field]
        staged = [
            key
            for part in self._parts
            for key in (f"{self._staging}:{part}", keys.job_part(tenant, opening.id, part))
        ]
        common = [keys.job(tenant, opening.id), keys.sizes(tenant)]
        if isinstance(spec, RunSpec):
            test_set = spec.test_set.id
            return await self._scripts.run(
                "restore_run",
                [
                    *common,
                    keys.runs(tenant),
                    keys.test_set(tenant, test_set),
                    keys.test_set_runs(tenant, test_set),
                    *staged,
                ],
                [opening.id, opening.position, tenant, self._quotas, *fields],
            )
        return await self._scripts.run(
            "restore_test_set",
            [
                *common,
                keys.test_sets(tenant),
                keys.test_set_contents(tenant),
                keys.test_set_versions(tenant),
                keys.test_set_name(tenant, spec.name),
                keys.TENANTS,
                *staged,
            ],
            [opening.id, opening.position, spec.name, spec.hash, tenant, self._quotas, *fields],
        )


_CONFLICTS: Final = {
    "exists": "{id!r} is here already, with other content.",
    "taken": "Another test set is here under the name and version of {id!r}.",
    "empty": "The backup has no queries of {id!r}.",
    "no_test_set": "The test set of {id!r} is neither here nor before it in the backup.",
}


def _in_order(name: str) -> tuple[int, str]:
    """Sort `2` before `10`, so that chunks stay in order."""
    return len(name), name


def _kind(object_id: str) -> str:
    return object_id.partition("_")[0]


def _read_head(opening: Opening) -> RunSpec | TestSetDraft:
    """Check what a backup says of an object, which may come from anywhere."""
    if not _ID.fullmatch(opening.id) or not opening.position.isdigit():
        raise MalformedBackupError(f"{opening.id!r} is no id of a run or test set.")
    head, kind = opening.head, _kind(opening.id)
    if not set(head) <= set(_HEADS[kind]) or not head.get("bytes", b"").isdigit():
        raise MalformedBackupError(f"The record of {opening.id!r} is not one of this version.")
    try:
        if kind == "ts":
            return msgspec.json.decode(head["draft"], type=TestSetDraft)
        spec = msgspec.json.decode(head["spec"], type=RunSpec)
        ended = RunStatus(head["status"].decode()) in TERMINAL
    except (msgspec.MsgspecError, KeyError, ValueError) as exc:
        raise MalformedBackupError(f"The record of {opening.id!r} cannot be read: {exc}") from exc
    if not ended or spec.id != opening.id:
        raise MalformedBackupError(f"{opening.id!r} is no run that has ended.")
    return spec
