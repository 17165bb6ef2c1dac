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
    sign_in,
)

HANDLERS: Final = (
    *files.HANDLERS,
    *queries.HANDLERS,
    *report.HANDLERS,
    *runs.HANDLERS,
    *sign_in.HANDLERS,
    *comparisons.HANDLERS,
    *compared_queries.HANDLERS,
    *robustness.HANDLERS,
    *diagnosis.HANDLERS,
    *history.HANDLERS,
)
