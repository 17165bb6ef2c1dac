"""The rq worker as we run it: one queue, a fork a job, ids in JSON, one function and no other."""

import ctypes
import os
import signal
import sys
from typing import Any, Final

from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from service.queue import JOB, open_redis

HEARTBEAT_S: Final = 15
MONITOR_S: Final = 5
MAINTENANCE_S: Final = 15
WORKER_TTL_S: Final = 30
_PR_SET_PDEATHSIG: Final = 1


class RunJob(Job):
    """A job that can only be ours: whoever may write Redis must not choose what we import."""

    @property
    def func(self) -> Any:
        """Return the function to call.

        Raises:
            ValueError: the job names anything but the one function.
        """
        if self.func_name != JOB:
            raise ValueError(f"job {self.id!r} names {self.func_name!r}; only {JOB!r} is run")
        return super().func


class RunQueue(Queue):
    """A queue of `RunJob`."""

    job_class = RunJob


class RunWorker(Worker):
    """A worker whose jobs die with it and are told when it is asked to stop."""

    job_class = RunJob
    queue_class = RunQueue

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return the seconds after which a silent worker counts as dead."""
        del job, working_time
        return HEARTBEAT_S

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run one job in the forked process."""
        die_with_parent()
        super().main_work_horse(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        """Pass SIGTERM on: the job releases its run and ends within seconds."""
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            self.kill_horse(sig=signal.SIGTERM)


def make_worker(redis_url: str, queue: str) -> RunWorker:
    """Make a worker on one queue; only a single queue is popped without loss (BLMOVE)."""
    redis = open_redis(redis_url)
    return RunWorker(
        [RunQueue(queue, connection=redis, serializer=JSONSerializer)],
        connection=redis,
        serializer=JSONSerializer,
        job_monitoring_interval=MONITOR_S,
        maintenance_interval=MAINTENANCE_S,
        default_worker_ttl=WORKER_TTL_S,
    )


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies, on Linux; elsewhere leases end."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(1)
