"""What all jobs have in common: their state, who holds them, and which have not ended."""

from typing import Any

from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.records import JobRecord


class Jobs:
    """Runs and comparisons alike."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def state(self, tenant: str, job_id: str) -> JobRecord:
        """Return a job's state without what it is about.

        Raises:
            NotFoundError: no such job.
        """
        fields = await self._connection.hgetall(keys.job(tenant, job_id))
        if not fields:
            raise NotFoundError(f"There is no job {job_id!r}.")
        return JobRecord(**read_state(tenant, fields))

    async def active(self) -> list[tuple[str, str]]:
        """Return tenant and id of every job that has not ended, oldest first."""
        members = await self._connection.zrange(keys.ACTIVE)
        return [(tenant, job_id) for tenant, _, job_id in (m.partition("/") for m in members)]

    async def forget(self, tenant: str, job_id: str) -> None:
        """Take a job out of the active set whose record is gone or has ended."""
        await self._connection.zrem(keys.ACTIVE, f"{tenant}/{job_id}")

    async def lease_left_ms(self, tenant: str, job_id: str) -> int:
        """Return how long a job's lease still holds; 0 when nobody holds it."""
        until = await self._connection.hget(keys.job(tenant, job_id), "lease_until")
        return max(0, int(until or 0) - await self._connection.now_ms())

    async def waits(self, record: JobRecord) -> bool:
        """Tell whether a job waits for its hour, and may go on waiting."""
        if record.cancel_requested or not record.not_before_ms:
            return False
        return record.not_before_ms > await self._connection.now_ms()


def read_state(tenant: str, fields: dict[str, bytes]) -> dict[str, Any]:
    """Read the fields of `JobRecord` from those of a job's hash."""

    def number(name: str) -> int | None:
        return int(fields[name]) if name in fields else None

    def word(name: str) -> str | None:
        return fields[name].decode() if name in fields else None

    return {
        "tenant": tenant,
        "status": RunStatus(fields["status"].decode()),
        "queue": fields["queue"].decode(),
        "created_ms": int(fields["created_ms"]),
        "started_ms": number("started_ms"),
        "finished_ms": number("finished_ms"),
        "epoch": int(fields["epoch"]),
        "attempts": int(fields["attempts"]),
        "crash_count": int(fields["crash_count"]),
        "not_before_ms": number("not_before") or 0,
        "cancel_requested": fields["cancel"] == b"1",
        "error": word("error"),
        "etag": word("etag"),
        "bytes": number("bytes"),
    }
