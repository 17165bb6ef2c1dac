"""Alerts: gates and their state, the runs they have to look at, and what they found."""

from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.alerts import (
    MAX_ALERTS,
    AlertEvent,
    AlertNotice,
    AlertRequest,
    AlertState,
    Evaluation,
    Finding,
)
from service.store import keys
from service.store.damage import reading
from service.store.records import Idempotency, RunRecord
from service.store.scripts import text
from service.store.versioned import Rows, Versioned

KEPT: Final = 1_000
"""Evaluations of an alert."""
FAILING: Final = "failing"
PASSING: Final = "passing"
NEITHER: Final = "neither"
"""What an evaluation speaks for."""


class AlertRecord(Struct, frozen=True, kw_only=True):
    """An alert as it is stored."""

    id: str
    request: AlertRequest
    state: AlertState
    failing: int
    passing: int
    told_ms: int | None
    version: int
    created_ms: int
    updated_ms: int


class Awaited(Struct, frozen=True):
    """A run that has ended and that an alert has to look at."""

    tenant: str
    alert: str
    run: str


class Settlement(Struct, frozen=True, kw_only=True):
    """What an alert found of a run, which side that speaks for, and what to say if it is told."""

    finding: Finding
    speaks_for: str
    notice: AlertNotice


class Alerts(Versioned[AlertRecord]):
    """All alerts of a deployment."""

    about = "alert"
    path = "alerts"
    most = MAX_ALERTS
    script = "put_alert"
    record_key = staticmethod(keys.alert)
    index_key = staticmethod(keys.alerts)
    log_key = staticmethod(keys.evaluations)

    async def put(
        self,
        tenant: str,
        alert_id: str,
        request: AlertRequest,
        *,
        version: int,
        idempotency: Idempotency | None = None,
    ) -> AlertRecord:
        """Write an alert: `NEW`, or in the place of a version; it knows nothing yet.

        Raises:
            ChangedError: it has another version by now.
            IdempotencyConflictError: another process took the key over.
            InvalidError: the team has as many as it may.
            NotFoundError: it is not new and not there.
        """
        wanted = request.runs
        fields: dict[str, str | bytes | int] = {
            "body": msgspec.json.encode(request),
            "enabled": int(request.enabled),
            "label": wanted.label,
            "test_set": wanted.test_set,
            "schedule": wanted.schedule,
        }
        words: list[str | bytes | int] = [word for pair in fields.items() for word in pair]
        return await self._put(tenant, alert_id, version, idempotency, [], words)

    async def delete(self, tenant: str, alert_id: str) -> None:
        """Delete an alert with what it found.

        Raises:
            NotFoundError: there is none.
        """
        log = keys.evaluations(tenant, alert_id)
        await self._delete("delete_alert", tenant, alert_id, [log], [])

    async def awaited(self, *, after: str | None, limit: int) -> tuple[list[Awaited], str | None]:
        """Return what is not evaluated yet, oldest end of a run first, and where to go on."""
        rows = await self._connection.zrangebyscore(keys.ALERTS_DUE, above=after, limit=limit)
        return [_read_member(member) for member, _ in rows], rows[-1][1] if rows else None

    async def drop(self, awaited: Awaited) -> None:
        """Let a run be, since there is nothing to look at it."""
        await self._connection.zrem(keys.ALERTS_DUE, _member(awaited))

    async def settle(
        self, awaited: Awaited, record: AlertRecord, run: RunRecord | None, settled: Settlement
    ) -> bool:
        """Write down what was found and queue what webhooks are told, both or neither.

        False where another process did so first, or where the alert was changed meanwhile: it
        then looks again.
        """
        request = record.request
        verdict = await self._scripts.run(
            "settle_alert",
            [
                keys.alert(awaited.tenant, awaited.alert),
                keys.evaluations(awaited.tenant, awaited.alert),
                keys.ALERTS_DUE,
                keys.COUNTERS,
                *(keys.webhook(awaited.tenant, one) for one in request.webhooks),
            ],
            [
                _member(awaited),
                record.version,
                settled.speaks_for,
                msgspec.json.encode(settled.finding),
                request.fail_after,
                request.recover_after,
                1_000 * request.quiet_s,
                KEPT,
                keys.new_id("evt"),
                AlertEvent.FAILING.value,
                AlertEvent.RECOVERED.value,
                *_event_words(awaited.run, run),
                "alert",
                msgspec.json.encode(settled.notice),
            ],
        )
        return text(verdict) == "settled"

    async def evaluations(
        self, tenant: str, alert_id: str, *, before: str | None, limit: int
    ) -> Rows[Evaluation]:
        """Return what an alert found, newest first, and where the next page begins.

        Raises:
            NotFoundError: there is no such alert.
        """
        rows, position = await self.log(tenant, alert_id, before=before, limit=limit)
        return [_read_row(row) for row in rows], position

    def _read(self, record_id: str, fields: dict[str, bytes]) -> AlertRecord:
        with reading(f"the alert {record_id!r}"):
            return AlertRecord(
                id=record_id,
                request=msgspec.json.decode(fields["body"], type=AlertRequest),
                state=AlertState(fields["state"].decode()),
                failing=int(fields["failing"]),
                passing=int(fields["passing"]),
                told_ms=int(fields["told_ms"]) if fields["told_ms"] else None,
                version=int(fields["version"]),
                created_ms=int(fields["created_ms"]),
                updated_ms=int(fields["updated_ms"]),
            )


def _member(awaited: Awaited) -> str:
    return f"{keys.alert(awaited.tenant, awaited.alert)} {awaited.run}"


def _read_member(member: str) -> Awaited:
    alert, _, run = member.rpartition(" ")
    return Awaited(*keys.read_alert(alert), run)


def _read_row(row: bytes) -> Evaluation:
    state, event, told, found = row.split(b" ", 3)
    return Evaluation(
        **msgspec.structs.asdict(msgspec.json.decode(found, type=Finding)),
        state=AlertState(state.decode()),
        event=AlertEvent(event.decode()) if event else None,
        told=tuple(told.decode().split(",")) if told else (),
    )


def _event_words(run_id: str, run: RunRecord | None) -> list[str]:
    """Return what an event says of a run; of one that is gone, its id."""
    if run is None:
        return ["run", run_id, "status", "failed", "label", "", "test_set", "", "test_set_name", ""]
    test_set = run.spec.test_set
    return [
        *("run", run_id, "status", run.status.value, "label", run.spec.request.label),
        *("test_set", test_set.id, "test_set_name", test_set.name),
    ]
