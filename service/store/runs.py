"""Runs as the API sees them: created once, watched, cancelled, read, deleted."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from reteval.contract.outcomes import FailureCode
from reteval.contract.rankings import Ranking
from reteval.contract.runs import RunStatus
from service.errors import (
    AlreadyTerminalError,
    NotFoundError,
    NotTerminalError,
    RunActiveError,
)
from service.store import chunks, keys
from service.store.bare_report import report_bare, skipped
from service.store.connection import Connection
from service.store.idempotency import script_words, under_way
from service.store.jobs import read_state
from service.store.records import SCHEMA, SHARD, Idempotency, RunRecord, RunSpec
from service.store.scripts import Scripts, text
from service.store.test_sets import STAGING_MS

_BATCH: Final = 100


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
    ) -> tuple[RunRecord, bool]:
        """Write a queued run, or answer the one that was made under the idempotency key before.

        Raises:
            IdempotencyConflictError: another process took the key over.
            NotFoundError: the test set was deleted meanwhile.
        """
        entry, token = script_words(idempotency)
        verdict, run_id = await self._scripts.run(
            "create_run",
            [
                keys.job(tenant, spec.id),
                keys.runs(tenant),
                keys.active(tenant, queue),
                keys.test_set(tenant, spec.test_set.id),
                keys.test_set_runs(tenant, spec.test_set.id),
                keys.job_part(tenant, spec.id, "secrets"),
                entry,
                keys.job_part(tenant, spec.id, "rankings"),
                keys.job_part(tenant, spec.id, "units"),
                keys.BUSY,
            ],
            [
                spec.id,
                keys.busy(tenant, queue),
                msgspec.json.encode(spec),
                secrets or b"",
                token,
                queue,
                SCHEMA,
                spec.request.limits.workers or 0,
                int(spec.planned.total <= SHARD),
            ],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "no_test_set":
            raise NotFoundError(f"There is no test set {spec.test_set.id!r} any more.")
        return await self.get(tenant, text(run_id)), text(verdict) == "created"

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
            raise _missing(run_id)
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
                if record and _fits(record, label=label, status=status):
                    found.append((record, position))
        following = found[limit - 1][1] if len(found) > limit else None
        return [record for record, _ in found[:limit]], following

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
            clean=[skipped(FailureCode.CANCELLED)] * record.spec.planned.clean,
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
        record = await self.get(tenant, run_id)
        verdict = await self._scripts.run(
            "delete_run",
            [
                keys.job(tenant, run_id),
                keys.runs(tenant),
                keys.test_set_runs(tenant, record.spec.test_set.id),
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
        """
        report = await self._connection.get(keys.job_part(tenant, run_id, "report"))
        if report is None:
            await self.results_tag(tenant, run_id)
            raise _missing(run_id)  # it ended, and was deleted between the two
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
            raise _missing(run_id)
        if etag is None:
            raise NotTerminalError(
                f"Run {run_id!r} is {text(status)}; wait with GET /v1/runs/{run_id}?wait=20."
            )
        return text(etag)

    async def history(self, tenant: str, test_set_id: str) -> AsyncIterator[bytes]:
        """Yield the reports of a test set's ended runs, oldest first."""
        for run_id in await self._connection.zrange(keys.test_set_runs(tenant, test_set_id)):
            report = await self._connection.get(keys.job_part(tenant, run_id, "report"))
            if report is not None:
                yield report

    async def _find(self, tenant: str, run_id: str) -> RunRecord | None:
        try:
            return await self.get(tenant, run_id)
        except NotFoundError:  # deleted between the index and the record
            return None


def read_run(tenant: str, fields: dict[str, bytes]) -> RunRecord:
    """Build a run's record from the fields of its hash."""
    return RunRecord(
        spec=msgspec.json.decode(fields["spec"], type=RunSpec),
        total=int(fields["total"]),
        done=int(fields["done"]),
        failed=int(fields["failed"]),
        **read_state(tenant, fields),
    )


def _missing(run_id: str) -> NotFoundError:
    return NotFoundError(f"There is no run {run_id!r}; list them with GET /v1/runs.")


def _fits(record: RunRecord, *, label: str | None, status: RunStatus | None) -> bool:
    return (label is None or record.spec.request.label == label) and (
        status is None or record.status == status
    )
