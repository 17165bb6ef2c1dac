"""What an operator may do to a job that does not end by itself."""

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from service.store import keys
from service.store.bare_report import report_bare, skipped
from service.store.connection import Connection
from service.store.journal import End, end_job
from service.store.records import RunRecord
from service.store.scripts import Scripts


class ActiveJob(Struct, frozen=True):
    """A job that has not ended, by its place."""

    queue: str
    tenant: str
    job_id: str


class Intervention:
    """Ends jobs from outside."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def fail(self, job: ActiveJob, *, run: RunRecord | None, reason: str) -> bool:
        """Fail a job whoever works on it; False if it has ended.

        Its answers so far are dropped: a cancelled run keeps them, and is the milder way. A run
        whose record can be read gets a report that says why.
        """
        report = b""
        if run is not None:
            clean = [skipped(FailureCode.CANCELLED)] * run.spec.accountable
            found = [_describe(reason)]
            report = report_bare(
                run, status=RunStatus.FAILED, reason=found[0].code, clean=clean, found=found
            )
        units = await self._connection.zscores(keys.job_part(job.tenant, job.job_id, "units"))
        parts = (
            *(keys.shard_outcomes(job.tenant, job.job_id, unit) for unit in units),
            *(
                keys.job_part(job.tenant, job.job_id, part)
                for part in keys.RUN_PARTS
                if part != "report"
            ),
        )
        error = DiagnosticCode.ENDED_BY_OPERATOR.value
        end = End(status=RunStatus.FAILED, report=report, error=error, parts=parts)
        return await end_job(self._scripts, job, end, under=("", ""))


def _describe(reason: str) -> Diagnostic:
    return Diagnostic(
        code=DiagnosticCode.ENDED_BY_OPERATOR,
        severity=Severity.BLOCK,
        message=f"An operator ended this run: {reason}",
        fix="Start it again once the operator says that the cause is gone.",
    )
