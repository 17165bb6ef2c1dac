"""Damage: stored values that are not what was written, and the end of the jobs they belong to."""

import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Iterator

import msgspec
import structlog
import zstandard

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.errors import CorruptRecordError, NotFoundError
from service.store import keys
from service.store.bare_report import report_bare, skipped
from service.store.records import RunRecord
from service.store.scripts import Scripts

_log = structlog.get_logger("reteval.store")


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn whatever a damaged value raises while it is read into `CorruptRecordError`."""
    try:
        yield
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        msgspec.MsgspecError,
        zstandard.ZstdError,
    ) as exc:
        raise CorruptRecordError(f"What is stored of {what} cannot be read.") from exc


def report_damage(record_id: str) -> None:
    """Tell the operator of a record that cannot be read."""
    _log.error("record.corrupt", record=record_id)


Find = Callable[[str, str], Awaitable[RunRecord]]
"""Reads a run by its tenant and id."""


class Damage:
    """Ends what cannot be worked on, so that it is in nobody's way."""

    def __init__(self, scripts: Scripts, find_run: Find) -> None:
        self._scripts = scripts
        self._find_run = find_run

    async def condemn(self, queue: str, tenant: str, job_id: str) -> None:
        """End a job as failed, whoever holds it, as far as its record can still take it.

        What is left of it stays to be looked at, until the job is deleted.
        """
        report = await self._report(tenant, job_id)
        await self._scripts.run(
            "condemn",
            [
                keys.job(tenant, job_id),
                keys.job_part(tenant, job_id, "units"),
                keys.job_part(tenant, job_id, "holds"),
                keys.job_part(tenant, job_id, "report"),
                keys.job_part(tenant, job_id, "secrets"),
                keys.active(tenant, queue),
                keys.BUSY,
                keys.COUNTERS,
            ],
            [job_id, keys.busy(tenant, queue), report, hashlib.sha256(report).hexdigest()],
        )
        report_damage(job_id)

    async def _report(self, tenant: str, job_id: str) -> bytes:
        """Return the report of a run of which too much is damaged to keep what was answered.

        Empty where not even what was asked for can be read, or where it is no run.
        """
        try:
            record = await self._find_run(tenant, job_id)
        except (CorruptRecordError, NotFoundError):
            return b""
        code = FailureCode.CORRUPT_RECORD
        clean = [skipped(code)] * record.spec.accountable
        return report_bare(record, status=RunStatus.FAILED, reason=code, clean=clean)
