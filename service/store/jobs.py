"""What all jobs have in common: their state, their units, and which have not ended."""

from typing import Any

from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.damage import reading
from service.store.records import JobRecord, Unit
from service.store.scripts import Scripts


class Jobs:
    """Runs, comparisons, probes and previews alike."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def state(self, tenant: str, job_id: str) -> JobRecord:
        """Return a job's state without what it is about.

        Raises:
            NotFoundError: no such job.
        """
        fields = await self._connection.hgetall(keys.job(tenant, job_id))
        if not fields:
            raise NotFoundError(f"There is no job {job_id!r}.")
        return JobRecord(**read_state(tenant, fields))

    async def active(self) -> list[tuple[str, str, str]]:
        """Return queue, tenant and id of every job that has not ended."""
        found = []
        for member in await self._connection.smembers(keys.BUSY):
            queue, _, tenant = member.partition("/")
            ids = await self._connection.zrange(keys.active(tenant, queue))
            found += [(queue, tenant, job_id) for job_id in ids]
        return found

    async def forget(self, queue: str, tenant: str, job_id: str) -> None:
        """Take a job out of the active ones whose record is gone or has ended."""
        await self._scripts.run(
            "forget",
            [
                keys.active(tenant, queue),
                keys.BUSY,
                keys.leases(tenant),
                keys.job_part(tenant, job_id, "units"),
                keys.job_part(tenant, job_id, "holds"),
            ],
            [job_id, keys.busy(tenant, queue)],
        )

    async def trace(self, tenant: str, job_id: str, traceparent: str) -> None:
        """Note the request that a job is done for, for those who follow it through the parts."""
        await self._connection.hset(keys.job(tenant, job_id), "traceparent", traceparent.encode())

    async def traceparent(self, tenant: str, job_id: str) -> str:
        """Return what `trace` noted; empty if nobody follows the job."""
        noted = await self._connection.hget(keys.job(tenant, job_id), "traceparent")
        return (noted or b"").decode()

    async def units(self, tenant: str, job_id: str) -> list[Unit]:
        """Return what is left to do of a job, in order."""
        leases = await self._connection.zscores(keys.job_part(tenant, job_id, "units"))
        holds = await self._connection.hgetall(keys.job_part(tenant, job_id, "holds"))
        with reading(f"the units of {job_id!r}"):
            return [
                Unit(
                    name=name,
                    lease_until_ms=until,
                    claims=int(holds.get(f"claims:{name}", 0)),
                    crashes=int(holds.get(f"crashes:{name}", 0)),
                    fence=holds.get(f"fence:{name}", b"").decode(),
                )
                for name, until in sorted(leases.items())
            ]

    async def unheld(self, tenant: str, job_id: str) -> list[Unit]:
        """Return the units of a job that nobody holds."""
        units = await self.units(tenant, job_id)
        now = await self._connection.now_ms()
        return [unit for unit in units if unit.lease_until_ms <= now]

    async def waits(self, record: JobRecord) -> bool:
        """Tell whether a job waits for its hour, and may go on waiting."""
        if record.cancel_requested or not record.not_before_ms:
            return False
        return record.not_before_ms > await self._connection.now_ms()


@reading("the state of a job")
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
