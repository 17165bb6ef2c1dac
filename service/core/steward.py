"""The rounds of the one process that starts scheduled runs and holds ended runs to alerts.

Any process of the API may be it. What a round does is done in single steps of the store, so that
two that think they are it, or one that is killed, do nothing twice and leave nothing out.
"""

import asyncio
import secrets
from typing import Final

import structlog

from service.core.alerting import evaluate_ended
from service.core.backend import Backend
from service.core.firing import fire_due
from service.errors import ServiceError
from service.store.keys import STEWARD

_LEAD_ROUNDS: Final = 3
"""A process that misses this many rounds is replaced."""

_log = structlog.get_logger("reteval.steward")


async def attend_forever(backend: Backend, *, interval_s: float) -> None:
    """Make rounds until cancelled; one that fails is logged and the next one tries again."""
    owner = secrets.token_hex(8)
    while True:
        try:
            if await backend.store.lead(STEWARD, owner, seconds=interval_s * _LEAD_ROUNDS):
                await fire_due(backend, await backend.store.now_ms())
                await evaluate_ended(backend)
        except ServiceError as exc:
            _log.warning("steward.failed", error=exc.detail)
        await asyncio.sleep(interval_s)
