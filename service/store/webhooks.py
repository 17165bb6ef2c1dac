"""Webhooks as their owners see them, and the log of what was delivered to them."""

from collections.abc import Mapping
from typing import Final

import msgspec

from reteval.contract.limits import MAX_WEBHOOKS
from reteval.contract.webhooks import (
    Attempt,
    Delivery,
    DeliveryState,
    RunEvent,
    Webhook,
    WebhookFormat,
)
from service.errors import InvalidError, NotFoundError, WebhookDisabledError
from service.store import keys
from service.store.bare_report import iso_time
from service.store.connection import Connection
from service.store.idempotency import refuse_second, script_words, under_way
from service.store.records import Idempotency
from service.store.scripts import Scripts, text

CURRENT: Final = "current"
OLD: Final = "old"
ADDRESS: Final = "address"
"""Names under which the secrets of a webhook are sealed."""


class Webhooks:
    """All webhooks of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def put(
        self,
        tenant: str,
        webhook_id: str,
        fields: Mapping[str, str | bytes | int],
        *,
        new: bool,
        idempotency: Idempotency | None = None,
    ) -> Webhook:
        """Write fields of a webhook: all of a new one, those that change of another.

        Raises:
            InvalidError: the tenant has as many as it may.
            NotFoundError: it is not new and not there.
            IdempotencyConflictError, ShownOnceError: see `refuse_second`.
        """
        entry, token = script_words(idempotency)
        made = keys.new_id("made")  # tells a repetition of this very call from another one
        args: list[str | bytes | int] = [webhook_id, MAX_WEBHOOKS if new else 0, token, made]
        for name, value in fields.items():
            args += (name, value)
        verdict = text(
            await self._scripts.run(
                "put_webhook",
                [keys.webhook(tenant, webhook_id), keys.webhooks(tenant), entry],
                args,
            )
        )
        refuse_second(verdict)
        if verdict == "full":
            raise InvalidError(f"There are {MAX_WEBHOOKS} webhooks already; delete one.")
        if verdict == "missing":
            raise _missing(webhook_id)
        return await self.get(tenant, webhook_id)

    async def get(self, tenant: str, webhook_id: str) -> Webhook:
        """Return a webhook.

        Raises:
            NotFoundError: there is none.
        """
        found = await self._connection.hgetall(keys.webhook(tenant, webhook_id))
        if not found:
            raise _missing(webhook_id)
        return _read_webhook(webhook_id, found, await self._connection.now_ms())

    async def sealed(self, tenant: str, webhook_id: str) -> bytes:
        """Return the sealed secrets of a webhook; empty where there is none."""
        return await self._connection.hget(keys.webhook(tenant, webhook_id), "secrets") or b""

    async def now_ms(self) -> int:
        """Return the clock that grace periods are measured by."""
        return await self._connection.now_ms()

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[Webhook], str | None]:
        """Return webhooks, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.webhooks(tenant), below=before, limit=limit + 1
        )
        found = [await self.get(tenant, member) for member, _ in rows[:limit]]
        return found, rows[limit - 1][1] if len(rows) > limit else None

    async def delete(self, tenant: str, webhook_id: str) -> None:
        """Delete a webhook and its deliveries, those that wait included.

        Raises:
            NotFoundError: there is none.
        """
        verdict = await self._scripts.run(
            "delete_webhook",
            [keys.webhook(tenant, webhook_id), keys.webhooks(tenant)],
            [webhook_id],
        )
        if text(verdict) == "missing":
            raise _missing(webhook_id)

    async def queue(
        self,
        tenant: str,
        webhook_id: str,
        event_id: str,
        *,
        new: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> Delivery:
        """Deliver now: an event that is in the log, or a `new` one of this type about nothing.

        Raises:
            NotFoundError: no such webhook, or no such delivery.
            WebhookDisabledError: it is switched off.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        about = [] if new is None else ["type", new, "run", ""]
        verdict, queued = await self._scripts.run(
            "queue_delivery",
            [keys.webhook(tenant, webhook_id), entry],
            [event_id, token, *about],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "disabled":
            raise WebhookDisabledError(f"Webhook {webhook_id!r} is off; enable it first.")
        if text(verdict) == "missing":
            raise _missing_delivery(webhook_id, event_id)
        return await self.delivery(tenant, webhook_id, text(queued))

    async def delivery(self, tenant: str, webhook_id: str, event_id: str) -> Delivery:
        """Return one delivery.

        Raises:
            NotFoundError: there is none, or none any more.
        """
        found = await self._connection.hgetall(keys.delivery(tenant, webhook_id, event_id))
        if not found:
            raise _missing_delivery(webhook_id, event_id)
        return _read_delivery(event_id, found)

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None, limit: int
    ) -> tuple[list[Delivery], str | None]:
        """Return deliveries, newest event first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.deliveries(tenant, webhook_id), below=before, limit=limit + 1
        )
        found = []
        for event_id, _ in rows[:limit]:
            fields = await self._connection.hgetall(keys.delivery(tenant, webhook_id, event_id))
            if fields:  # else it went between the log and the record
                found.append(_read_delivery(event_id, fields))
        return found, rows[limit - 1][1] if len(rows) > limit else None


def read_attempts(fields: Mapping[str, bytes]) -> tuple[Attempt, ...]:
    """Return the attempts of a delivery's fields."""
    return msgspec.json.decode(fields.get("attempts", b"[]"), type=tuple[Attempt, ...])


def read_format(fields: Mapping[str, bytes]) -> WebhookFormat:
    """Return the format of a webhook's fields; those of earlier releases have none."""
    return WebhookFormat(fields.get("format", b"signed").decode())


def _read_webhook(webhook_id: str, fields: Mapping[str, bytes], now_ms: int) -> Webhook:
    old_until = int(fields["old_secret_until_ms"])
    return Webhook(
        id=webhook_id,
        url=fields["url"].decode(),
        events=tuple(map(RunEvent, fields["events"].decode().split())),
        label=fields["label"].decode(),
        test_set=fields["test_set"].decode(),
        description=fields["description"].decode(),
        enabled=fields["enabled"] == b"1",
        disabled_reason=fields["disabled_reason"].decode() or None,
        failing_since=_moment(fields["failing_since_ms"]),
        old_secret_until=iso_time(old_until) if old_until > now_ms else None,
        created_at=iso_time(int(fields["created_ms"])),
        updated_at=iso_time(int(fields["updated_ms"])),
        format=read_format(fields),
    )


def _read_delivery(event_id: str, fields: Mapping[str, bytes]) -> Delivery:
    return Delivery(
        id=event_id,
        type=fields["type"].decode(),
        run=fields["run"].decode(),
        state=DeliveryState(fields["state"].decode()),
        created_at=iso_time(int(fields["created_ms"])),
        next_attempt_at=_moment(fields.get("next_ms", b"")),
        attempts=read_attempts(fields),
    )


def _moment(millis: bytes) -> str | None:
    return iso_time(int(millis)) if millis else None


def _missing(webhook_id: str) -> NotFoundError:
    return NotFoundError(f"There is no webhook {webhook_id!r}; list them with GET /v1/webhooks.")


def _missing_delivery(webhook_id: str, event_id: str) -> NotFoundError:
    return NotFoundError(f"Webhook {webhook_id!r} has no delivery {event_id!r}.")
