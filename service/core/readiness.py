"""Whether the service can do its work, and what stands in its way: asked, and every minute."""

import asyncio
from datetime import UTC, datetime
from typing import Final

import structlog

from reteval.contract.diagnostics import Severity
from reteval.contract.problems import ProblemItem
from reteval.contract.readiness import Finding, FindingCode, Readiness, ReadinessStatus, Waiting
from service.core.backend import Backend, to_iso
from service.errors import NotReadyError, ServiceError, StorageFullError, StoreUnavailableError

LONG_WAIT_S: Final = 300.0
"""A unit that waits longer for a worker is worth a look."""
WATCH_S: Final = 60.0
_log = structlog.get_logger("reteval.readiness")


async def check_readiness(backend: Backend) -> Readiness:
    """Look at the store, write to it, and look at the queues; never raises for what is wrong."""
    queues: dict[str, Waiting] = {}
    try:
        found = await _check_store(backend)
        queues = await _read_queues(backend)
    except ServiceError as exc:
        found = [_unavailable(exc.detail)]
    found += [one for name, queue in queues.items() for one in _check_queue(name, queue)]
    return Readiness(
        status=_status(found),
        version=backend.code_version,
        egress=backend.egress,
        findings=tuple(found),
        queues=queues,
    )


async def require_readiness(backend: Backend) -> Readiness:
    """Return what was found where it is no reason to send requests elsewhere.

    Raises:
        NotReadyError: the service cannot do its work, or may lose what it accepts.
    """
    found = await check_readiness(backend)
    if found.status is not ReadinessStatus.NOT_READY:
        return found
    reasons = [one.message for one in found.findings if one.severity is Severity.BLOCK]
    items = [
        ProblemItem(pointer="", code=one.code, message=one.message, fix=one.fix)
        for one in found.findings
    ]
    raise NotReadyError(f"{'. '.join(reasons)}.", errors=items)


async def watch_forever(backend: Backend, *, interval_s: float) -> None:
    """Log what is wrong, round after round, so that it is seen where nobody asks `/readyz`."""
    while True:
        for finding in (await check_readiness(backend)).findings:
            say = _log.error if finding.severity is Severity.BLOCK else _log.warning
            say("readiness.finding", code=finding.code, message=finding.message, fix=finding.fix)
        await asyncio.sleep(interval_s)


async def _check_store(backend: Backend) -> list[Finding]:
    """Return what is wrong with the store.

    Raises:
        StoreUnavailableError: it does not answer at all.
    """
    found = await backend.store.findings()
    try:
        await backend.store.ping()
        if backend.notice_birth(birth := await backend.store.birth_ms()):
            found.append(_emptied(birth))
    except StorageFullError as exc:
        found.append(_full(exc.detail))
    except StoreUnavailableError as exc:
        if not any(one.severity is Severity.BLOCK for one in found):
            found.append(_unavailable(exc.detail))
    return found


async def _read_queues(backend: Backend) -> dict[str, Waiting]:
    """Return each queue's workers and load.

    Raises:
        StoreUnavailableError: the store does not answer.
    """
    workers, depth = await backend.queue.workers(), await backend.queue.depth()
    backlog = await backend.store.load.backlog()
    return {
        name: Waiting(
            workers=workers[name],
            queued=depth[name],
            oldest_s=backlog.age_s(name),
        )
        for name in depth
    }


def _check_queue(name: str, queue: Waiting) -> list[Finding]:
    found = []
    if not queue.workers:
        found.append(
            Finding(
                code=FindingCode.NO_WORKER,
                severity=Severity.WARN,
                message=f"No worker serves the queue {name!r}: jobs are accepted and wait",
                fix=f"Start one: python -m worker --queue {name}",
            )
        )
    if queue.oldest_s > LONG_WAIT_S:
        found.append(
            Finding(
                code=FindingCode.LONG_WAIT,
                severity=Severity.WARN,
                message=f"The oldest unit in {name!r} has waited {queue.oldest_s:.0f} s",
                fix="Start more workers; where some are idle, read their logs",
            )
        )
    return found


def _status(found: list[Finding]) -> ReadinessStatus:
    if any(one.severity is Severity.BLOCK for one in found):
        return ReadinessStatus.NOT_READY
    return ReadinessStatus.DEGRADED if found else ReadinessStatus.READY


def _unavailable(detail: str) -> Finding:
    return Finding(
        code=FindingCode.STORE_UNAVAILABLE,
        severity=Severity.BLOCK,
        message=detail,
        fix="See whether the store runs and RETEVAL_REDIS_URL leads to it; work goes on by itself",
    )


def _full(detail: str) -> Finding:
    return Finding(
        code=FindingCode.STORE_FULL,
        severity=Severity.WARN,
        message=detail,
        fix="Delete runs, or raise maxmemory; runs under way go on by themselves",
    )


def _emptied(birth_ms: int) -> Finding:
    moment = to_iso(datetime.fromtimestamp(birth_ms / 1_000, UTC))
    return Finding(
        code=FindingCode.STORE_EMPTIED,
        severity=Severity.WARN,
        message=f"The store lost its data; its records begin anew at {moment}",
        fix="Restore a backup if there is one; restart the API to be rid of this finding",
    )
