import importlib

import pytest
from redis import Redis
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.errors import StoreUnavailableError
from service.queue import JOB, JobQueue

CALL = "run_1-plan-0"


def fetch(redis_url: str, job_id: str) -> Job:
    """Read a job as a worker would."""
    return Job.fetch(job_id, connection=Redis.from_url(redis_url), serializer=JSONSerializer)


def test_job_name_resolves() -> None:
    """The function that jobs name by string exists in the worker."""
    module, _, name = JOB.rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


async def test_enqueue_is_idempotent(queue: JobQueue, redis_url: str) -> None:
    """Enqueuing twice makes one job, whose argument is its queue, in JSON."""
    await queue.enqueue([CALL], queue="runs")
    await queue.enqueue([CALL], queue="runs")
    assert {"runs": 1, "interactive": 0} == await queue.depth()
    assert ("runs",) == tuple(fetch(redis_url, CALL).args)


async def test_job_that_lost_its_place_is_enqueued_again(queue: JobQueue, redis_url: str) -> None:
    """A job whose record says queued but that stands in no queue gets a place again."""
    await queue.enqueue([CALL], queue="runs")
    with Redis.from_url(redis_url) as client:
        client.delete("rq:queue:runs")
    await queue.enqueue([CALL], queue="runs")
    assert (await queue.depth())["runs"] == 1


async def test_job_just_started_is_left_alone(queue: JobQueue, redis_url: str) -> None:
    """A job that a worker has just taken is about to claim its run: no second one is made."""
    from datetime import UTC, datetime

    await queue.enqueue([CALL], queue="runs")
    job = fetch(redis_url, CALL)
    job.started_at = datetime.now(UTC)
    job.set_status(JobStatus.STARTED)
    job.save()
    with Redis.from_url(redis_url) as client:
        client.delete("rq:queue:runs")
    await queue.enqueue([CALL], queue="runs")
    assert (await queue.depth())["runs"] == 0


async def test_missing_server_is_an_unavailable_store(tmp_path: object) -> None:
    """A queue that cannot be reached answers as the store does."""
    queue = JobQueue.connect(f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(StoreUnavailableError):
        await queue.enqueue([CALL], queue="runs")
