"""All pages of the service."""

from typing import Final

from service.pages import (
    compared_queries,
    comparisons,
    diagnosis,
    files,
    history,
    imports,
    judgings,
    progress,
    queries,
    report,
    review,
    robustness,
    runs,
    schedules,
    sign_in,
    start,
    test_sets,
)

HANDLERS: Final = (
    *files.HANDLERS,
    *runs.HANDLERS,
    *report.HANDLERS,
    *queries.HANDLERS,
    *start.HANDLERS,
    *progress.HANDLERS,
    *test_sets.HANDLERS,
    *imports.HANDLERS,
    *judgings.HANDLERS,
    *review.HANDLERS,
    *sign_in.HANDLERS,
    *comparisons.HANDLERS,
    *compared_queries.HANDLERS,
    *robustness.HANDLERS,
    *diagnosis.HANDLERS,
    *history.HANDLERS,
    *schedules.HANDLERS,
)
