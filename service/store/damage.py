"""Damage: stored values that are not what was written, and the end of the jobs they belong to."""

import contextlib
import hashlib
from collections.abc import Iterator

import msgspec
import structlog
import zstandard

from service.errors import CorruptRecordError
from service.store import keys
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


class Damage:
    """Ends what cannot be worked on, so that it is in nobody's way."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def condemn(self, queue: str, tenant: str, job_id: str, *, report: bytes = b"") -> None:
        """End a job as failed, whoever holds it, as far as its record can still take it.

        What is left of it stays to be looked at, until the job is deleted.
        """
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
