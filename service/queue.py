"""RQ as a wake-up call: it says that something waits in a queue, and our records are the truth.

The only argument is the queue's name, in JSON. rq keeps its own keys under `rq:`.
"""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from redis import Redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import OutOfMemoryError, RedisError
from redis.retry import Retry
from rq import Queue, Worker
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.errors import StorageFullError, StoreUnavailableError
from service.redis_url import connect, sentinels_of

StoreError: Final = RedisError
"""What a worker meets where its store is away, full or refuses writes."""
JOB: Final = "worker.jobs.execute"
"""Named by string, so that the API never imports the worker; a test resolves it."""
RUNS: Final = "runs"
INTERACTIVE: Final = "interactive"
QUEUES: Final = (RUNS, INTERACTIVE)
JOB_TIMEOUT_S: Final = 86_400
"""Far beyond any run: runs bound themselves, by lease and by request deadlines."""
RESULT_TTL_S: Final = 60
FAILURE_TTL_S: Final = 3_600
CALL_S: Final = 2.0
"""How long a call may take in all; the reaper makes up for a wake-up that failed."""
_TIMEOUT_S: Final = 5.0
_STARTING_S: Final = 10


class JobQueue:
    """Enqueues jobs. rq is synchronous, so every call runs in a thread."""

    def __init__(self, redis: "Redis", *, total_s: float) -> None:
        self._redis = redis
        self._total_s = total_s
        self._queues = {
            name: Queue(name, connection=redis, serializer=JSONSerializer) for name in QUEUES
        }

    @classmethod
    def connect(cls, redis_url: str, *, total_s: float = CALL_S) -> "JobQueue":
        """Make a queue; it connects at its first command."""
        return cls(open_redis(redis_url, timeout_s=total_s), total_s=total_s)

    def close(self) -> None:
        """Close the connections."""
        for client in (self._redis, *sentinels_of(self._redis)):
            client.close()

    async def enqueue(self, calls: Iterable[str], *, queue: str) -> int:
        """Make sure that each wake-up call, named by an id, waits in the queue. Safe to repeat.

        Whoever is woken takes what is due, which may be another job's. Returns how many calls
        were missing.

        Raises:
            StoreUnavailableError: Redis does not answer.
            StorageFullError: it has no room.
        """
        return sum([await self._in_thread(self._enqueue, call_id, queue) for call_id in calls])

    async def depth(self) -> dict[str, int]:
        """Return the number of waiting jobs by queue."""
        counts: dict[str, int] = await self._in_thread(
            lambda: {name: queue.count for name, queue in self._queues.items()}
        )
        return counts

    async def calls(self) -> dict[str, list[str]]:
        """Return the ids of all waiting wake-up calls by queue."""
        ids: dict[str, list[str]] = await self._in_thread(
            lambda: {name: queue.job_ids for name, queue in self._queues.items()}
        )
        return ids

    async def workers(self) -> dict[str, int]:
        """Return the number of live workers by queue; a killed one counts for 90 s more."""
        counts: dict[str, int] = await self._in_thread(
            lambda: {name: self._alive(queue) for name, queue in self._queues.items()}
        )
        return counts

    async def _in_thread(self, function: Any, *args: Any) -> Any:
        try:
            async with asyncio.timeout(self._total_s):
                return await asyncio.to_thread(function, *args)
        except OutOfMemoryError as exc:
            raise StorageFullError("The store has no room for a wake-up call.") from exc
        except (RedisError, TimeoutError) as exc:
            raise StoreUnavailableError(
                "The job queue does not answer; try again shortly."
            ) from exc

    def _enqueue(self, call_id: str, name: str) -> bool:
        queue = self._queues[name]
        if self._waits(queue, call_id):
            return False
        try:
            queue.enqueue_call(
                JOB,
                args=(name,),
                job_id=call_id,
                timeout=JOB_TIMEOUT_S,
                result_ttl=RESULT_TTL_S,
                failure_ttl=FAILURE_TTL_S,
                description=call_id,
                unique=True,
            )
        except DuplicateJobError:  # another process enqueued it between the look and the call
            return False
        return True

    def _alive(self, queue: Queue) -> int:
        """Count the workers whose registration has not expired."""
        keys = Worker.all_keys(queue=queue)
        return int(self._redis.exists(*keys)) if keys else 0

    def _waits(self, queue: Queue, job_id: str) -> bool:
        """Tell whether the job is in its queue; one that lost its place is removed."""
        try:
            job = Job.fetch(job_id, connection=self._redis, serializer=JSONSerializer)
        except NoSuchJobError:
            return False
        status = job.get_status()
        if status == JobStatus.QUEUED and queue.get_job_position(job) is not None:
            return True
        if status == JobStatus.STARTED and _fresh(job):
            return True
        job.delete()
        return False


def _fresh(job: Job) -> bool:
    """Tell whether a started job may still be on its way to claim its run."""
    begun = job.started_at
    return begun is not None and (datetime.now(UTC) - begun).total_seconds() < _STARTING_S


def open_redis(redis_url: str, *, timeout_s: float = _TIMEOUT_S) -> "Redis":
    """Make the synchronous client that rq works on, for the queue and for workers."""
    client: Redis = connect(
        redis_url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(ExponentialWithJitterBackoff(cap=0.5, base=0.05), 2),
    )
    return client
