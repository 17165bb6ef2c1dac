"""A preview: variants made and stored, nothing sent."""

import asyncio

import msgspec

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from worker.jobs.work import Work, log
from worker.pipeline.previewing import report_preview


async def preview_variants(work: Work) -> None:
    """Make the variants and end the preview.

    Raises:
        LostClaimError: another worker has the preview.
        ServiceError: the store is away.
    """
    spec = (await work.store.previews.get(work.tenant, work.claim.job_id)).spec
    stored = await work.read_queries(spec.test_set) if spec.test_set else []
    report = await asyncio.to_thread(report_preview, spec.request, stored, spec.language)
    await work.store.journal.finish(
        work.claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(report),
        error="",
    )
    log.info("preview.finished", preview=spec.id, variants=len(report.variants))


async def abandon_preview(work: Work, code: FailureCode) -> None:
    """End a preview that could not be made."""
    await work.store.journal.finish(work.claim, status=RunStatus.FAILED, report=b"", error=code)
