"""What a worker does with a job: hold a unit of it, send its requests, record, finish."""

import os

import uvloop

from service.settings import Settings
from service.tracing import flush_tracing
from worker.jobs.execution import execute_next


def execute(queue: str) -> None:
    """Work on what is due in a queue until it is done, handed on, or another worker's."""
    try:
        uvloop.run(execute_next(Settings.from_env(os.environ), queue))
    finally:
        flush_tracing()  # the process ends without its exit handlers
