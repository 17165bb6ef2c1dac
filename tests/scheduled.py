"""Schedules and alerts as tests need them, and rounds at a moment."""

from typing import Any

import msgspec

from reteval.contract.alerts import Alert, AlertRequest, Evaluation
from reteval.contract.schedules import Fire, Schedule, ScheduleRequest
from service.core.alerts import create_alert
from service.core.backend import Backend
from service.core.firing import fire_due
from service.core.schedules import create_schedule
from tests.factories import query, stored_test_set

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
RUN = {"test_set": "set", "endpoint": {"url": "http://127.0.0.1:9/search"}, "metrics": ["mrr"]}
FLOOR = {"floors": [{"metric": "mrr", "at_least": 0.5}]}


async def scheduled(backend: Backend, **changes: Any) -> Schedule:
    """Make a schedule over the set `set`; by itself it is due at every full hour."""
    await stored_test_set(backend.store, [query()])
    body = {"name": "nightly", "cron": "0 * * * *", "run": RUN} | changes
    return await create_schedule(backend, msgspec.convert(body, ScheduleRequest))


async def due_ms(backend: Backend, schedule: Schedule) -> int:
    """Return when a schedule is due."""
    found = (await backend.store.schedules.get(backend.tenant, schedule.id)).next_ms
    assert found is not None
    return found


async def fires(backend: Backend, schedule: Schedule) -> list[Fire]:
    """Return what became of a schedule's times, oldest first."""
    rows, _ = await backend.store.schedules.fires(
        backend.tenant, schedule.id, before=None, limit=1_000
    )
    return rows[::-1]


async def found(backend: Backend, alert: Alert) -> list[Evaluation]:
    """Return what an alert found, oldest first."""
    rows, _ = await backend.store.alerts.evaluations(
        backend.tenant, alert.id, before=None, limit=1_000
    )
    return rows[::-1]


async def fire(backend: Backend, now_ms: int) -> str | None:
    """Make a round at a moment; return the run that it started, if it did."""
    started = await fire_due(backend, now_ms)
    return started[0] if started else None


async def alerted(backend: Backend, **changes: Any) -> Alert:
    """Make an alert that wants an MRR of one half."""
    body = {"name": "quality", "gate": FLOOR} | changes
    return await create_alert(backend, msgspec.convert(body, AlertRequest))
