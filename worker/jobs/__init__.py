"""What a worker does with a job: hold the run, send its requests, record, finish."""

import os

import uvloop

from service.settings import Settings
from worker.jobs.execution import execute_run


def execute(tenant: str, run_id: str) -> None:
    """Work on a run until it ends, is handed on, or belongs to another worker."""
    uvloop.run(execute_run(Settings.from_env(os.environ), tenant, run_id))
