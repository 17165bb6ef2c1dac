"""One target, many callers: rates and connections that all workers and tenants keep together."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Final

from reteval.contract.runs import Limits
from service.egress import EgressError, Policy
from service.errors import ServiceError
from service.store.ending import end_task
from service.store.targets import Slots
from worker.jobs.work import Work, log
from worker.search.lanes import Lanes
from worker.search.pacing import Pacer
from worker.search.turns import AHEAD_S, MARGIN, SharedTurns

RENEW_S: Final = 2.0
HOLD_S: Final = 10.0
"""How long the connections of a worker that died count as used."""


def name_target(policy: Policy, url: str) -> str | None:
    """Return what a target is shared by, its origin; None where it may not be called at all."""
    try:
        return policy.check_url(url).origin
    except EgressError:
        return None


def share_pace(work: Work, target: str | None, limits: Limits) -> Pacer:
    """Return a pacer whose turns are shared with all who call the target at a rate."""
    rate = limits.rate_per_s
    if rate is None or target is None:
        return Pacer(rate)
    kept = rate * MARGIN

    async def reserve(wanted: int) -> Slots:
        return await work.store.targets.take_slots(
            target, wanted=wanted, rate_per_s=kept, ahead_s=AHEAD_S
        )

    turns = SharedTurns(kept, reserve, clock=time.monotonic, sleep=asyncio.sleep)
    return Pacer(turns=turns)


@contextlib.asynccontextmanager
async def share_lanes(work: Work, target: str | None, limits: Limits) -> AsyncIterator[Lanes]:
    """Hold a share of the target's connections while the block runs."""
    lanes = Lanes(limits.concurrency)
    if target is None:
        yield lanes
        return
    await _renew(work, target, lanes, limits)
    renewing = asyncio.create_task(_keep(work, target, lanes, limits))
    try:
        yield lanes
    finally:
        await end_task(renewing)
        with contextlib.suppress(ServiceError):
            await work.store.targets.release_lanes(target, work.claim.job_id)


async def _keep(work: Work, target: str, lanes: Lanes, limits: Limits) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        await _renew(work, target, lanes, limits)


async def _renew(work: Work, target: str, lanes: Lanes, limits: Limits) -> None:
    """Ask for what the run may use; while the store is away, keep what there was."""
    try:
        lanes.cap = await work.store.targets.hold_lanes(
            target,
            work.claim.job_id,
            wanted=limits.concurrency,
            most=work.settings.target_concurrency,
            seconds=HOLD_S,
        )
    except ServiceError as exc:
        log.warning("lanes.not_shared", job=work.claim.job_id, error=str(exc))
