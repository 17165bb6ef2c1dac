"""Runs as the API sees them: created once, watched, cancelled, read, deleted."""

import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from reteval.contract.outcomes import FailureCode
from reteval.contract.rankings import Ranking
from reteval.contract.runs import RunStatus
from service.errors import (
    AlreadyTerminalError,
    CorruptRecordError,
    NotFoundError,
    NotTerminalError,
    RunActiveError,
)
from service.store import chunks, keys
from service.store.bare_report import iso_time, report_bare, skipped
from service.store.connection import Connection
from service.store.damage import reading, report_damage
from service.store.idempotency import script_words, under_way
from service.store.jobs import read_state
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import SCHEMA, SHARD, Idempotency, RunRecord, RunSpec
from service.store.scripts import Scripts, text
from service.store.staging import STAGING_MS

_BATCH: Final = 100
_RUN_ID: Final = re.compile(r"run_[0-9A-Za-z]{22}")


class Runs:
    """All runs of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self,
        tenant: str,
        spec: RunSpec,
        *,
        secrets: bytes | None,
        idempotency: Idempotency | None,
        queue: str,
        quotas: Quotas = NO_QUOTAS,
    ) -> tuple[RunRecord, bool]:
        """Write a queued run, or answer the one that was made under the idempotency key before.

        Raises:
            IdempotencyConflictError: another process took the key over.
            NotFoundError: the test set was deleted meanwhile.
            QuotaExceededError: the team may not have another one of this size.
        """
        entry, token = script_words(idempotency)
        reply = await self._scripts.run(
            "create_run",
            [
                entry,
                keys.job_part(tenant, spec.id, "rankings"),
                *run_keys(tenant, spec, queue),
            ],
            [token, *run_words(tenant, spec, secrets or b"", queue, quotas)],
        )
        check_refusal(reply)
        verdict, run_id = reply
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "no_test_set":
            raise NotFoundError(f"There is no test set {spec.test_set.id!r} any more.")
        return await self.get(tenant, text(run_id)), text(verdict) == "created"

    async def pin(self, tenant: str, run_id: str, *, pinned: bool) -> RunRecord:
        """Keep a run from expiring, or let it expire again.

        Raises:
            NotFoundError: no such run.
        """
        await self._scripts.run("mark", [keys.job(tenant, run_id)], ["pinned", int(pinned)])
        return await self.get(tenant, run_id)

    async def use(self, tenant: str, run_id: str) -> None:
        """Note that a run is read for another job, so that it does not expire meanwhile."""
        await self._scripts.run("mark", [keys.job(tenant, run_id)], ["used_ms", ""])

    async def pinned(self, tenant: str, run_ids: Sequence[str]) -> bool:
        """Tell whether all of these runs are pinned."""
        marks = [
            await self._connection.hget(keys.job(tenant, run_id), "pinned") for run_id in run_ids
        ]
        return all(mark == b"1" for mark in marks)

    async def put_rankings(self, tenant: str, run_id: str, rankings: Sequence[Ranking]) -> None:
        """Store rankings for a run that is about to be created; else they expire in an hour."""
        key = keys.job_part(tenant, run_id, "rankings")
        for field, blob in chunks.split(rankings).items():
            await self._connection.hset(key, field, blob)
            await self._connection.expire(key, STAGING_MS)

    async def rankings(self, tenant: str, run_id: str) -> AsyncIterator[list[Ranking]]:
        """Yield the rankings that a run was made with."""
        key = keys.job_part(tenant, run_id, "rankings")
        async for chunk in chunks.read_chunks(self._connection, key, Ranking):
            yield chunk

    async def get(self, tenant: str, run_id: str) -> RunRecord:
        """Return a run's record.

        Raises:
            NotFoundError: no such run.
        """
        fields = await self._connection.hgetall(keys.job(tenant, run_id))
        if not fields:
            raise missing_run(run_id, more=await self._tell_loss(run_id))
        return read_run(tenant, fields)

    async def page(
        self,
        tenant: str,
        *,
        before: str | None,
        limit: int,
        test_set: str | None = None,
        label: str | None = None,
        status: RunStatus | None = None,
        schedule: str | None = None,
    ) -> tuple[list[RunRecord], str | None]:
        """Return runs that fit the filters, newest first, and where the next page begins."""
        index = keys.test_set_runs(tenant, test_set) if test_set else keys.runs(tenant)
        found: list[tuple[RunRecord, str]] = []
        position = before
        while len(found) <= limit:
            rows = await self._connection.zrevrange(index, below=position, limit=_BATCH)
            if not rows:
                break
            for member, position in rows:
                record = await self._find(tenant, member)
                if record and _fits(record, label=label, status=status, schedule=schedule):
                    found.append((record, position))
        following = found[limit - 1][1] if len(found) > limit else None
        return [record for record, _ in found[:limit]], following

    async def span(self, tenant: str) -> tuple[int, int | None]:
        """Return how many runs there are, and when the oldest was made, in milliseconds."""
        index = keys.runs(tenant)
        oldest = await self._connection.zrangebyscore(index, limit=1)
        made_ms = int(oldest[0][1]) // 1_000 if oldest else None
        return await self._connection.zcard(index), made_ms

    async def request_cancel(self, tenant: str, run_id: str) -> RunRecord:
        """Ask a run to stop; one that no worker has claimed yet ends at once.

        Raises:
            AlreadyTerminalError: the run has ended.
            NotFoundError: no such run.
        """
        record = await self.get(tenant, run_id)
        report = report_bare(
            record,
            status=RunStatus.CANCELLED,
            reason="cancelled_before_start",
            clean=[skipped(FailureCode.CANCELLED)] * record.spec.accountable,
        )
        verdict = await self._scripts.run(
            "cancel",
            [
                keys.job(tenant, run_id),
                keys.job_part(tenant, run_id, "units"),
                keys.job_part(tenant, run_id, "holds"),
                keys.job_part(tenant, run_id, "report"),
                keys.job_part(tenant, run_id, "secrets"),
                keys.active(tenant, record.queue),
                keys.BUSY,
                keys.sizes(tenant),
                keys.job_part(tenant, run_id, "rankings"),
                keys.COUNTERS,
            ],
            [
                report,
                hashlib.sha256(report).hexdigest(),
                run_id,
                keys.busy(tenant, record.queue),
            ],
        )
        if text(verdict) == "terminal":
            raise AlreadyTerminalError(f"Run {run_id!r} has ended; it cannot be cancelled.")
        return await self.get(tenant, run_id)

    async def delete(self, tenant: str, run_id: str) -> None:
        """Delete a run that has ended, and everything stored for it.

        Raises:
            RunActiveError: it has not ended.
            NotFoundError: no such run.
        """
        try:
            record = await self.get(tenant, run_id)
        except CorruptRecordError:
            await self._drop_damaged(tenant, run_id)
            return
        verdict = await self._scripts.run(
            "delete_run",
            [
                keys.job(tenant, run_id),
                keys.runs(tenant),
                keys.test_set_runs(tenant, record.spec.test_set.id),
                keys.sizes(tenant),
                *(keys.job_part(tenant, run_id, part) for part in keys.RUN_PARTS),
            ],
            [run_id],
        )
        if text(verdict) == "active":
            raise RunActiveError(f"Run {run_id!r} has not ended; cancel it first.")

    async def results(self, tenant: str, run_id: str) -> bytes:
        """Return the stored report of a run that has ended, as JSON.

        Raises:
            NotTerminalError: it has not ended.
            NotFoundError: no such run.
            CorruptRecordError: it is not the report that the run ended with.
        """
        key = keys.job_part(tenant, run_id, "report")
        report = await self._connection.get(key)
        tag = await self.results_tag(tenant, run_id)
        if report is None:  # it ended between the two
            report = await self._connection.get(key)
        if report is None or hashlib.sha256(report).hexdigest() != tag:
            raise CorruptRecordError(f"The report of run {run_id!r} is not as it was written.")
        return report

    async def results_tag(self, tenant: str, run_id: str) -> str:
        """Return the digest of the report of a run that has ended.

        Raises:
            NotTerminalError: it has not ended.
            NotFoundError: no such run.
        """
        fields = ("status", "etag")
        status, etag = await self._connection.hmget(keys.job(tenant, run_id), fields)
        if status is None:
            raise missing_run(run_id)
        if etag is None:
            raise NotTerminalError(
                f"Run {run_id!r} is {text(status)}; wait with GET /v1/runs/{run_id}?wait=20."
            )
        return text(etag)

    async def history(self, tenant: str, test_set_id: str) -> AsyncIterator[bytes]:
        """Yield the reports of a test set's ended runs, oldest first."""
        for run_id in await self._connection.zrange(keys.test_set_runs(tenant, test_set_id)):
            try:
                report = await self.results(tenant, run_id)
            except (NotTerminalError, NotFoundError):
                continue
            except CorruptRecordError:
                report_damage(run_id)
                continue
            yield report

    async def _find(self, tenant: str, run_id: str) -> RunRecord | None:
        try:
            return await self.get(tenant, run_id)
        except NotFoundError:  # deleted between the index and the record
            return None
        except CorruptRecordError:  # a list has no place for it
            report_damage(run_id)
            return None

    async def _tell_loss(self, run_id: str) -> str:
        """Say from when on runs are remembered, to somebody who may have one from before."""
        if not _RUN_ID.fullmatch(run_id):
            return ""
        # a store without its birth lost its data a moment ago
        birth = await self._connection.get(keys.BIRTH) or await self._connection.now_ms()
        moment = iso_time(int(birth))
        return f" The store's records begin at {moment}: one from before may have been lost."

    async def _drop_damaged(self, tenant: str, run_id: str) -> None:
        """Delete what is left of a run whose record does not say where it is listed."""
        parts = (*keys.RUN_PARTS, "units", "holds", "shards")
        await self._connection.unlink(
            keys.job(tenant, run_id), *(keys.job_part(tenant, run_id, part) for part in parts)
        )
        sets = await self._connection.zrange(keys.test_sets(tenant))
        for index in (keys.runs(tenant), *(keys.test_set_runs(tenant, one) for one in sets)):
            await self._connection.zrem(index, run_id)


def missing_run(run_id: str, *, more: str = "") -> NotFoundError:
    """Return the error of a run that is not there, or not there for this reader."""
    return NotFoundError(f"There is no run {run_id!r}; list them with GET /v1/runs.{more}")


@reading("a run")
def read_run(tenant: str, fields: dict[str, bytes]) -> RunRecord:
    """Build a run's record from the fields of its hash."""
    return RunRecord(
        spec=msgspec.json.decode(fields["spec"], type=RunSpec),
        total=int(fields["total"]),
        done=int(fields["done"]),
        failed=int(fields["failed"]),
        pinned=fields.get("pinned") == b"1",
        used_ms=int(fields.get("used_ms", 0)),
        look=int(fields.get("look", 0)),
        holdout=fields.get("holdout", b"").decode(),
        **read_state(tenant, fields),
    )


def run_keys(tenant: str, spec: RunSpec, queue: str) -> list[str]:
    """Return the keys that `runs.create` writes."""
    return [
        keys.job(tenant, spec.id),
        keys.runs(tenant),
        keys.active(tenant, queue),
        keys.test_set(tenant, spec.test_set.id),
        keys.test_set_runs(tenant, spec.test_set.id),
        keys.job_part(tenant, spec.id, "secrets"),
        keys.job_part(tenant, spec.id, "units"),
        keys.BUSY,
    ]


def run_words(
    tenant: str, spec: RunSpec, secrets: bytes, queue: str, quotas: Quotas
) -> list[str | bytes | int]:
    """Return what `runs.create` is told of a queued run and its sealed secrets."""
    return [
        spec.id,
        keys.busy(tenant, queue),
        msgspec.json.encode(spec),
        secrets,
        queue,
        SCHEMA,
        spec.request.limits.workers or 0,
        int(spec.planned.total <= SHARD),
        encode_quotas(quotas),
        count_queries(spec),
        spec.planned.bytes or 0,
    ]


def count_queries(spec: RunSpec) -> int:
    """Return the requests that a run will send at most; a repetition of a failed one counts not."""
    sends = spec.rescore is None and not spec.uploaded
    return spec.planned.total + spec.planned.model_calls if sends else 0


def _fits(
    record: RunRecord, *, label: str | None, status: RunStatus | None, schedule: str | None
) -> bool:
    return (
        (label is None or record.spec.request.label == label)
        and (status is None or record.status == status)
        and (schedule is None or record.spec.schedule == schedule)
    )
