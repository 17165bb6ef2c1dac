"""Delivers what is due, for as long as the worker lives; never in the process of a job."""

import asyncio
from typing import Final

import structlog

from service.egress import name_origin
from service.errors import ServiceError
from service.settings import Settings
from service.store.deliveries import Due
from service.store.store import Store
from worker.webhooks.attempts import attempt

AT_ONCE: Final = 16
"""Attempts under way in one worker, each to another webhook."""
POLL_S: Final = 0.5
LEASE_MARGIN_S: Final = 10.0
"""Beyond the deadline of an attempt: after that its worker is dead, and another one tries."""

_log = structlog.get_logger("reteval.webhooks")


async def deliver_forever(store: Store, settings: Settings) -> None:
    """Deliver until cancelled; whatever goes wrong is tried again when its lease is over."""
    slots = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as under_way:
        while True:
            await slots.acquire()
            due = await _take(store, settings)
            if due is None:
                slots.release()
                await asyncio.sleep(POLL_S)
            else:
                task = under_way.create_task(_deliver(store, settings, due))
                task.add_done_callback(lambda _: slots.release())


async def _take(store: Store, settings: Settings) -> Due | None:
    try:
        return await store.deliveries.take(lease_s=settings.webhook_timeout_s + LEASE_MARGIN_S)
    except ServiceError as exc:
        _log.warning("webhooks.not_taken", error=str(exc))
    except Exception:  # noqa: BLE001 - a damaged record must not end the deliveries of all others
        _log.exception("webhooks.not_taken")
    return None


async def _deliver(store: Store, settings: Settings, due: Due) -> None:
    # What goes as it should is in the log that the webhook's owner reads.
    try:
        verdict = await attempt(due, settings)
        if verdict.blocked:
            detail = f"{name_origin(due.url)}: {verdict.attempt.error}"
            await store.audit.deny(due.tenant, target=due.webhook, detail=detail)
        await store.deliveries.settle(due, verdict)
    except ServiceError as exc:
        _log.warning("webhook.not_settled", webhook=due.webhook, error=str(exc))
