"""All pages of the service."""

from typing import Final

from service.pages import (
    compared_queries,
    comparisons,
    diagnosis,
    files,
    history,
    queries,
    report,
    robustness,
    runs,
)

HANDLERS: Final = (
    *files.HANDLERS,
    *runs.HANDLERS,
    *report.HANDLERS,
    *queries.HANDLERS,
    *comparisons.HANDLERS,
    *compared_queries.HANDLERS,
    *robustness.HANDLERS,
    *diagnosis.HANDLERS,
    *history.HANDLERS,
)
