"""Judgings and the jobs that move them on: made, begun, stopped, closed, deleted."""

from collections.abc import Mapping
from typing import Final

import msgspec

from reteval.contract.judges import Judge
from reteval.contract.judgings import JudgingReport, JudgingState, Review
from reteval.contract.pools import PoolCounts
from reteval.contract.runs import TestSetRef
from service.errors import (
    AlreadyTerminalError,
    JudgingBusyError,
    JudgingFrozenError,
    JudgingIncompleteError,
    NotFoundError,
)
from service.store import keys
from service.store.connection import Connection
from service.store.damage import reading
from service.store.errands import Errand
from service.store.idempotency import script_words, under_way
from service.store.judging_records import JudgingRecord, JudgingSpec, StepRecord, StepSpec
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal
from service.store.records import Idempotency
from service.store.scripts import Scripts, text
from service.store.shelves import Shelf

STEP_S: Final = 30 * 86_400
"""How long a job of a judging is kept, and may take."""


class Steps(Shelf[StepRecord, JudgingReport]):
    """All jobs of judgings."""

    about = "job"
    prefix = keys.STEP_PREFIX
    spec = StepSpec
    record = StepRecord
    found = JudgingReport

    async def cancel(self, tenant: str, step_id: str) -> None:
        """Ask a job to stop.

        Raises:
            AlreadyTerminalError: it has ended.
        """
        verdict = await self._scripts.run("cancel_step", [keys.job(tenant, step_id)], [])
        if text(verdict) == "terminal":
            raise AlreadyTerminalError(f"Job {step_id!r} has ended; it cannot be cancelled.")


class Judgings:
    """All judgings of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self,
        tenant: str,
        spec: JudgingSpec,
        *,
        sealed: bytes,
        idempotency: Idempotency | None = None,
    ) -> JudgingRecord:
        """Write a draft, or answer what the key made before.

        Raises:
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        verdict, made = await self._scripts.run(
            "create_judging",
            [keys.judging(tenant, spec.id), keys.judgings(tenant), entry],
            [spec.id, token, "spec", msgspec.json.encode(spec), "sealed", sealed],
        )
        if text(verdict) == "lost":
            raise under_way()
        return await self.get(tenant, text(made))

    async def get(self, tenant: str, judging_id: str) -> JudgingRecord:
        """Return a judging.

        Raises:
            NotFoundError: there is none.
        """
        fields = await self._connection.hgetall(keys.judging(tenant, judging_id))
        if not fields:
            raise _missing(judging_id)
        with reading(f"the judging {judging_id!r}"):
            return read_judging(fields)

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[JudgingRecord], str | None]:
        """Return judgings, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.judgings(tenant), below=before, limit=limit + 1
        )
        found = [await self.get(tenant, member) for member, _ in rows[:limit]]
        return found, rows[limit - 1][1] if len(rows) > limit else None

    async def begin(
        self,
        tenant: str,
        step: StepSpec,
        *,
        queue: str,
        fields: Mapping[str, bytes],
        secrets: bytes = b"",
        queries: int = 0,
        quotas: Quotas = NO_QUOTAS,
        idempotency: Idempotency | None = None,
    ) -> str:
        """Queue a job of a judging and write its fields with it; without any, it changes nothing.

        The id of the job is answered.

        Raises:
            NotFoundError: no such judging.
            JudgingBusyError, JudgingFrozenError: it cannot be changed now, or at all.
            QuotaExceededError: it would send more `queries` than the team may.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        errand = Errand(
            id=step.id,
            spec=msgspec.json.encode(step),
            queue=queue,
            seconds=STEP_S,
            secrets=secrets,
            queries=queries,
        )
        words: list[str | bytes | int] = [word for pair in fields.items() for word in pair]
        reply = await self._scripts.run(
            "begin_step",
            [entry, *errand.keys(tenant), keys.judging(tenant, step.judging)],
            [token, *errand.args(tenant, quotas), *words],
        )
        check_refusal(reply)
        verdict, made = map(text, reply)
        if verdict == "lost":
            raise under_way()
        _check(verdict, step.judging)
        return made

    async def add_votes(
        self,
        tenant: str,
        judging_id: str,
        rows: list[tuple[str, str, bytes]],
        *,
        idempotency: Idempotency | None = None,
    ) -> int:
        """Write votes of people, each with its query and document; answer how many pairs have one.

        Raises:
            NotFoundError: no such judging.
            JudgingIncompleteError, JudgingBusyError: there is no pool yet.
            JudgingFrozenError: there is no voting any more.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        args: list[str | bytes | int] = [token]
        for query_id, doc_id, row in rows:
            args += (query_id, f"{query_id}\n{doc_id}", row)
        verdict, reviewed = await self._scripts.run(
            "add_votes",
            [
                keys.judging(tenant, judging_id),
                keys.judging_part(tenant, judging_id, "votes"),
                keys.judging_part(tenant, judging_id, "voted"),
                entry,
            ],
            args,
        )
        if text(verdict) == "lost":
            raise under_way()
        _check(text(verdict), judging_id)
        return int(reviewed)

    async def freeze(self, tenant: str, record: JudgingRecord, test_set: TestSetRef) -> bool:
        """Close a judging; False where it has changed since `record` was read.

        Raises:
            NotFoundError: it is gone.
            JudgingFrozenError: it was closed before, as another set.
        """
        verdict = await self._scripts.run(
            "freeze_judging",
            [keys.judging(tenant, record.id)],
            [record.revision, msgspec.json.encode(test_set)],
        )
        _check(text(verdict), record.id)
        return text(verdict) == "closed"

    async def delete(self, tenant: str, judging_id: str) -> None:
        """Delete a judging with its pool and its votes.

        Raises:
            NotFoundError: no such judging.
            JudgingBusyError: a job is at work on it.
        """
        parts = [keys.judging_part(tenant, judging_id, part) for part in keys.JUDGING_PARTS]
        verdict = await self._scripts.run(
            "delete_judging",
            [
                keys.judging(tenant, judging_id),
                keys.judgings(tenant),
                keys.sizes(tenant),
                *parts,
            ],
            [judging_id, keys.job(tenant, keys.STEP_PREFIX).removesuffix(keys.STEP_PREFIX)],
        )
        _check(text(verdict), judging_id)

    async def weigh(self, tenant: str, judging_id: str) -> None:
        """Count the bytes that are stored of a judging."""
        parts = [keys.judging_part(tenant, judging_id, part) for part in keys.JUDGING_PARTS]
        await self._scripts.run(
            "weigh_judging",
            [keys.sizes(tenant), keys.judging(tenant, judging_id), *parts],
            [judging_id],
        )


def read_judging(fields: Mapping[str, bytes]) -> JudgingRecord:
    """Read the record of a judging; whatever a damaged field raises is raised."""
    frozen = fields.get("frozen")
    review = msgspec.json.decode(fields.get("review", b"{}"), type=Review)
    return JudgingRecord(
        spec=msgspec.json.decode(fields["spec"], type=JudgingSpec),
        state=JudgingState(fields["state"].decode()),
        created_ms=int(fields["created_ms"]),
        revision=int(fields["revision"]),
        job=fields.get("job", b"").decode(),
        error=fields["error"].decode(),
        pool=msgspec.json.decode(fields.get("pool", b"{}"), type=PoolCounts),
        judges=msgspec.json.decode(fields.get("judges", b"[]"), type=tuple[Judge, ...]),
        review=msgspec.structs.replace(review, reviewed=int(fields.get("reviewed", 0))),
        frozen=msgspec.json.decode(frozen, type=TestSetRef) if frozen else None,
        sealed=fields.get("sealed", b""),
    )


def _check(verdict: str, judging_id: str) -> None:
    """Refuse what a script did not do."""
    if verdict == "missing":
        raise _missing(judging_id)
    if verdict == "frozen":
        raise JudgingFrozenError(
            f"Judging {judging_id!r} is frozen: what it came to never changes; make another one."
        )
    if verdict in ("busy", "pooling"):
        raise JudgingBusyError(
            f"A job is at work on judging {judging_id!r}; wait for its end, or cancel it."
        )
    if verdict == "draft":
        raise JudgingIncompleteError(
            f"Judging {judging_id!r} has no pool; POST /v1/judgings/{judging_id}/pool first."
        )


def _missing(judging_id: str) -> NotFoundError:
    return NotFoundError(f"There is no judging {judging_id!r}; list them with GET /v1/judgings.")
