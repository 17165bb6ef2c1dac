"""The rq worker as we run it: one queue, a fork a job, ids in JSON, one function and no other.

A store that is away, full or read-only ends no job and no worker: leases decide about jobs.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Any, Final

import structlog
from rq import Queue, Worker
from rq.exceptions import StopRequested
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer

from service.queue import JOB, StoreError, open_redis

HEARTBEAT_S: Final = 15
MONITOR_S: Final = 5
MAINTENANCE_S: Final = 15
WORKER_TTL_S: Final = 30
PAUSE_S: Final = 2.0
"""Between a worker that its store ended and the next one."""
_PR_SET_PDEATHSIG: Final = 1
_log = structlog.get_logger("reteval.worker")


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
    """A worker whose jobs die with it and are told when it is asked to stop; `told`: it was."""

    job_class = RunJob
    queue_class = RunQueue
    max_connection_wait_time = 4.0
    told = False

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return the seconds after which a silent worker counts as dead."""
        del job, working_time
        return HEARTBEAT_S

    def maintain_heartbeats(self, job: Job, execution: Execution) -> None:
        """Tell that the job goes on; where nobody hears it, it goes on all the same."""
        with contextlib.suppress(StoreError):
            super().maintain_heartbeats(job, execution)

    def set_shutdown_requested_date(self) -> None:
        """Note for others to see that the worker was asked to stop, if that can be noted."""
        with contextlib.suppress(StoreError):
            super().set_shutdown_requested_date()  # type: ignore[no-untyped-call]

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run one job in the forked process."""
        die_with_parent()
        super().main_work_horse(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        """Pass SIGTERM on: the job releases its run and ends within seconds."""
        self.told = True
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            self.kill_horse(sig=signal.SIGTERM)


def serve(redis_url: str, queue: str, *, burst: bool = False, pause_s: float = PAUSE_S) -> None:
    """Work until told to stop, or with `burst` until the queue is empty.

    rq gives a worker up when the store refuses a command; another one begins after a pause.
    """
    with contextlib.suppress(StopRequested):
        while not _work(redis_url, queue, burst=burst) and not burst:
            _log.warning("worker.interrupted", queue=queue, again_in_s=pause_s)
            time.sleep(pause_s)


def _work(redis_url: str, queue: str, *, burst: bool) -> bool:
    """Run one worker to its end, and tell whether it was told to stop."""
    try:
        worker = make_worker(redis_url, queue)
    except StoreError:
        return False
    with contextlib.suppress(StoreError):
        worker.work(burst=burst, logging_level="WARNING")
    return worker.told


def make_worker(redis_url: str, queue: str) -> RunWorker:
    """Make a worker on one queue; only a single queue is popped without loss (BLMOVE)."""
    redis = open_redis(redis_url)
    return RunWorker(
        [RunQueue(queue, connection=redis, serializer=JSONSerializer)],
        connection=redis,
        serializer=JSONSerializer,
        job_monitoring_interval=MONITOR_S,
        maintenance_interval=MAINTENANCE_S,
        worker_ttl=WORKER_TTL_S,
    )


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies, on Linux; elsewhere leases end."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(1)
