"""What a worker does with a job: hold the run, send its requests, record, finish."""

import os

import uvloop

from service.settings import Settings
from worker.jobs.execution import execute_job


def execute(tenant: str, job_id: str) -> None:
    """Work on a job until it ends, is handed on, or belongs to another worker."""
    uvloop.run(execute_job(Settings.from_env(os.environ), tenant, job_id))
