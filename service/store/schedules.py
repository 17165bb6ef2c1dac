"""Schedules: what runs when, and the one step that starts a run and goes on to the next time."""

from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.runs import RunStatus
from reteval.contract.schedules import MAX_SCHEDULES, Fire, ScheduleRequest
from service.errors import ChangedError, NotFoundError
from service.store import keys
from service.store.damage import reading
from service.store.idempotency import script_words, under_way
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal
from service.store.records import Idempotency, RunSpec
from service.store.runs import run_keys, run_words
from service.store.scripts import text
from service.store.versioned import ANY, Rows, Versioned

KEPT: Final = 1_000
"""Rows of a schedule's log."""
KEPT_DELETED_S: Final = 31_536_000
"""How long the log outlives its schedule."""
_NOWHERE: Final = ""


class ScheduleRecord(Struct, frozen=True, kw_only=True):
    """A schedule. Header values in `request.run` are empty strings, `sealed` holds them."""

    id: str
    request: ScheduleRequest
    sealed: bytes
    paused: bool
    next_ms: int | None
    last_run: str | None
    version: int
    created_ms: int
    updated_ms: int


class Step(Struct, frozen=True, kw_only=True):
    """A step from one time of a schedule to the next; by hand, from none."""

    schedule: str
    version: int
    due_ms: int | None = None
    next_ms: int | None = None

    def words(self) -> list[str | bytes | int]:
        """Return what scripts take of it."""
        return [
            self.version,
            *(_NOWHERE if ms is None else ms for ms in (self.due_ms, self.next_ms)),
        ]


class Start(Struct, frozen=True, kw_only=True):
    """A run to be started, its row in the log, and the row where it overlaps, if it may not."""

    spec: RunSpec
    secrets: bytes
    queue: str
    row: Fire
    overlapped: Fire | None


class Schedules(Versioned[ScheduleRecord]):
    """All schedules of a deployment."""

    about = "schedule"
    path = "schedules"
    most = MAX_SCHEDULES
    script = "put_schedule"
    record_key = staticmethod(keys.schedule)
    index_key = staticmethod(keys.schedules)
    log_key = staticmethod(keys.fires)

    async def put(
        self,
        tenant: str,
        schedule_id: str,
        request: ScheduleRequest,
        *,
        sealed: bytes,
        next_ms: int,
        version: int,
        idempotency: Idempotency | None = None,
    ) -> ScheduleRecord:
        """Write a schedule: `NEW`, or in the place of a version; a paused one is resumed.

        Raises:
            ChangedError: it has another version by now.
            IdempotencyConflictError: another process took the key over.
            InvalidError: the team has as many as it may.
            NotFoundError: it is not new and not there.
        """
        body = msgspec.json.encode(request)
        words: list[str | bytes | int] = [next_ms, "body", body, "secrets", sealed, "paused", 0]
        return await self._put(
            tenant, schedule_id, version, idempotency, [keys.SCHEDULES_DUE], words
        )

    async def pause(self, tenant: str, schedule_id: str) -> ScheduleRecord:
        """Let a schedule be due no more.

        Raises:
            NotFoundError: there is none.
        """
        words: list[str | bytes | int] = [_NOWHERE, "paused", 1]
        return await self._put(tenant, schedule_id, ANY, None, [keys.SCHEDULES_DUE], words)

    async def resume(self, tenant: str, schedule_id: str, *, next_ms: int) -> ScheduleRecord:
        """Let a schedule be due again.

        Raises:
            NotFoundError: there is none.
        """
        words: list[str | bytes | int] = [next_ms, "paused", 0]
        return await self._put(tenant, schedule_id, ANY, None, [keys.SCHEDULES_DUE], words)

    async def delete(self, tenant: str, schedule_id: str) -> None:
        """Delete a schedule with its secrets; its runs stay, and its log for a year.

        Raises:
            NotFoundError: there is none.
        """
        await self._delete(
            "delete_schedule",
            tenant,
            schedule_id,
            [keys.SCHEDULES_DUE, keys.fires(tenant, schedule_id)],
            [KEPT_DELETED_S],
        )

    async def due(self, now_ms: int, *, limit: int) -> list[tuple[str, str]]:
        """Return tenant and id of the schedules that are due, the one that waits longest first."""
        rows = await self._connection.zrangebyscore(
            keys.SCHEDULES_DUE, below=str(now_ms + 1), limit=limit
        )
        return [keys.read_schedule(key) for key, _ in rows]

    async def forget(self, tenant: str, schedule_id: str) -> None:
        """Let a schedule that cannot be read be due no more."""
        await self._connection.zrem(keys.SCHEDULES_DUE, keys.schedule(tenant, schedule_id))

    async def is_at_work(self, tenant: str, record: ScheduleRecord) -> bool:
        """Tell whether the last run that a schedule started has not ended."""
        if record.last_run is None:
            return False
        status = await self._connection.hget(keys.job(tenant, record.last_run), "status")
        return status is not None and not RunStatus(status.decode()).terminal

    async def let_pass(self, tenant: str, step: Step, row: Fire) -> bool:
        """Go on to the next time without a run; False if another process was first."""
        verdict = await self._scripts.run(
            "pass_schedule",
            [
                keys.schedule(tenant, step.schedule),
                keys.SCHEDULES_DUE,
                keys.fires(tenant, step.schedule),
                keys.COUNTERS,
            ],
            [*step.words(), msgspec.json.encode(row), KEPT, row.outcome.value],
        )
        return text(verdict) != "lost"

    async def start(
        self,
        tenant: str,
        step: Step,
        start: Start,
        *,
        quotas: Quotas = NO_QUOTAS,
        idempotency: Idempotency | None = None,
    ) -> str | None:
        """Start a run and go on to the next time, both or neither; return the run's id.

        None where the schedule's last run has not ended and the two may not overlap.

        Raises:
            ChangedError: the schedule was changed, paused or deleted, or another process was first.
            IdempotencyConflictError: another process took the key over.
            NotFoundError: the test set was deleted meanwhile.
            QuotaExceededError: the team may not have another run of this size.
        """
        entry, token = script_words(idempotency)
        reply = await self._scripts.run(
            "fire_schedule",
            [
                keys.schedule(tenant, step.schedule),
                keys.SCHEDULES_DUE,
                keys.fires(tenant, step.schedule),
                keys.COUNTERS,
                entry,
                *run_keys(tenant, start.spec, start.queue),
            ],
            [
                *step.words(),
                msgspec.json.encode(start.row),
                KEPT,
                token,
                b"" if start.overlapped is None else msgspec.json.encode(start.overlapped),
                keys.job(tenant, start.spec.id).removesuffix(start.spec.id),
                *run_words(tenant, start.spec, start.secrets, start.queue, quotas),
            ],
        )
        check_refusal(reply)
        verdict, run_id = reply
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "late":
            raise ChangedError(f"{step.schedule!r} was changed meanwhile; read it again.")
        if text(verdict) == "no_test_set":
            raise NotFoundError(f"There is no test set {start.spec.test_set.id!r} any more.")
        return None if text(verdict) == "overlapped" else text(run_id)

    async def fires(
        self, tenant: str, schedule_id: str, *, before: str | None, limit: int
    ) -> Rows[Fire]:
        """Return what became of a schedule's times, newest first, and where the next page begins.

        Raises:
            NotFoundError: there is no such schedule, and no log of one.
        """
        rows, position = await self.log(tenant, schedule_id, before=before, limit=limit)
        return [msgspec.json.decode(row, type=Fire) for row in rows], position

    def _read(self, record_id: str, fields: dict[str, bytes]) -> ScheduleRecord:
        with reading(f"the schedule {record_id!r}"):
            return ScheduleRecord(
                id=record_id,
                request=msgspec.json.decode(fields["body"], type=ScheduleRequest),
                sealed=fields["secrets"],
                paused=fields["paused"] == b"1",
                next_ms=int(fields["next_ms"]) if fields["next_ms"] else None,
                last_run=fields.get("last_run", b"").decode() or None,
                version=int(fields["version"]),
                created_ms=int(fields["created_ms"]),
                updated_ms=int(fields["updated_ms"]),
            )
