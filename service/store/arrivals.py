"""Objects on their way back into the store: staged, and made in one step.

What is not committed expires.
"""

import secrets
from typing import Any, Final

import msgspec

from reteval.contract.runs import TERMINAL, RunStatus
from reteval.contract.votes import RaterKind
from service.errors import CorruptRecordError, MalformedBackupError, RestoreConflictError
from service.store import keys
from service.store.connection import Connection
from service.store.fragments import ID, KINDS, Opening, Piece, kind_of
from service.store.judging_records import JudgingSpec
from service.store.judgings import read_judging
from service.store.pools import read_votes
from service.store.quotas import Quotas, check_refusal, encode_quotas
from service.store.records import RunSpec, TestSetDraft
from service.store.scripts import Scripts, text
from service.store.staging import STAGING_MS

Spec = RunSpec | TestSetDraft | JudgingSpec


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
        self._parts = KINDS[kind_of(opening.id)].parts
        self.spec = _read_head(opening)

    async def write(self, piece: Piece) -> None:
        """Stage a piece.

        Raises:
            MalformedBackupError: no part of such an object.
        """
        if piece.part not in self._parts:
            raise MalformedBackupError(f"{self._opening.id!r} has no part {piece.part!r}.")
        key = f"{self._staging}:{piece.part}"
        if piece.part == "votes":
            await self._note_voted(piece)
        if piece.part == "report":
            await self._connection.set(key, piece.fields[""], lifetime_ms=STAGING_MS)
            return
        for name, blob in piece.fields.items():
            await self._connection.hset(key, name, blob)
        await self._connection.expire(key, STAGING_MS)

    async def discard(self) -> None:
        """Drop what was staged."""
        parts = (*self._parts, "voted")
        await self._connection.unlink(*(f"{self._staging}:{part}" for part in parts))

    async def _note_voted(self, piece: Piece) -> None:
        """Stage which pairs people voted on, as their votes say."""
        try:
            voted = [
                f"{query_id}\n{vote.doc_id}"
                for query_id, lines in piece.fields.items()
                for vote in read_votes(lines)
                if vote.kind is RaterKind.HUMAN
            ]
        except CorruptRecordError as exc:
            raise MalformedBackupError(f"Votes of {self._opening.id!r} cannot be read.") from exc
        if voted:
            key = f"{self._staging}:voted"
            await self._connection.sadd(key, voted)
            await self._connection.expire(key, STAGING_MS)

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
        head = opening.head
        if isinstance(spec, JudgingSpec):
            head = {name: value for name, value in head.items() if name != "bytes"}
        fields = [word for field in head.items() for word in field]
        staged = [
            key
            for part in self._parts
            for key in (f"{self._staging}:{part}", keys.job_part(tenant, opening.id, part))
        ]
        common = [keys.job(tenant, opening.id), keys.sizes(tenant)]
        if isinstance(spec, JudgingSpec):
            voted = [f"{self._staging}:voted", keys.job_part(tenant, opening.id, "voted")]
            return await self._scripts.run(
                "restore_judging",
                [*common, keys.judgings(tenant), *voted, *staged],
                [
                    opening.id,
                    opening.position,
                    tenant,
                    self._quotas,
                    opening.head["bytes"],
                    *fields,
                ],
            )
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


def _read_head(opening: Opening) -> Spec:
    """Check what a backup says of an object, which may come from anywhere."""
    if not ID.fullmatch(opening.id) or not opening.position.isdigit():
        raise MalformedBackupError(f"{opening.id!r} is no id of a run or test set.")
    head, kind = opening.head, kind_of(opening.id)
    if not set(head) <= set(KINDS[kind].head) or not head.get("bytes", b"").isdigit():
        raise MalformedBackupError(f"The record of {opening.id!r} is not one of this version.")
    try:
        if kind == "ts":
            return msgspec.json.decode(head["draft"], type=TestSetDraft)
        if kind == "jdg":
            return _read_judging(opening)
        spec = msgspec.json.decode(head["spec"], type=RunSpec)
        ended = RunStatus(head["status"].decode()) in TERMINAL
    except (msgspec.MsgspecError, KeyError, ValueError) as exc:
        raise MalformedBackupError(f"The record of {opening.id!r} cannot be read: {exc}") from exc
    if not ended or spec.id != opening.id:
        raise MalformedBackupError(f"{opening.id!r} is no run that has ended.")
    return spec


def _read_judging(opening: Opening) -> JudgingSpec:
    record = read_judging(opening.head)
    if record.state.busy or record.id != opening.id:
        raise MalformedBackupError(f"{opening.id!r} is no judging that nobody works on.")
    return record.spec
