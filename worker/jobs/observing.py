"""What is noted of a unit while it is worked on: its ids in each log line, a span, its counts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

import structlog

from reteval.contract.outcomes import Outcome
from service.errors import ServiceError
from service.store.counters import Tally
from service.store.ending import end_task
from service.store.fencing import LostClaimError
from service.tracing import is_traced, span
from worker.jobs.work import Work

ADD_S: Final = 2.0
"""Pause between additions to the deployment's counters; a kill loses what came since."""
_NAMES: Final = {"plan": "plan", "end": "finalise"}


@contextlib.asynccontextmanager
async def observe(work: Work) -> AsyncIterator[None]:
    """Note what happens in the block.

    Raises:
        LostClaimError: whatever was lost; it is counted.
    """
    claim, store = work.claim, work.store
    ids: dict[str, Any] = {
        "tenant": claim.tenant,
        "job": claim.job_id,
        "unit": claim.unit,
        "epoch": claim.epoch,
    }
    parent = await store.jobs.traceparent(claim.tenant, claim.job_id) if is_traced() else ""
    adding = asyncio.create_task(_keep_adding(work.tally))
    try:
        with (
            structlog.contextvars.bound_contextvars(**ids),
            span(_name(work), parent=parent, **{f"reteval.{key}": ids[key] for key in ids}),
        ):
            yield
    except LostClaimError:
        work.tally.count("lease_losses", "refused")
        raise
    finally:
        await end_task(adding)
        await _add(work.tally)


def count_outcome(tally: Tally, outcome: Outcome, *, target: str | None) -> None:
    """Count how a request to a target ended; to none, if it may not be called at all."""
    label = outcome.status if outcome.code is None else outcome.code
    tally.count("requests", label.value, target=target or "")


async def _keep_adding(tally: Tally) -> None:
    while True:
        await asyncio.sleep(ADD_S)
        await _add(tally)


async def _add(tally: Tally) -> None:
    with contextlib.suppress(ServiceError):  # kept, and added with what comes next
        await tally.flush()


def _name(work: Work) -> str:
    unit = work.claim.unit
    if unit.isdigit():
        return "shard"
    return _NAMES.get(unit, work.claim.job_id.partition("_")[0])
