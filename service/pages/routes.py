"""All pages of the service."""

from typing import Final

from service.pages import files, queries, report, runs, sign_in

HANDLERS: Final = (
    *files.HANDLERS,
    *queries.HANDLERS,
    *report.HANDLERS,
    *runs.HANDLERS,
    *sign_in.HANDLERS,
)
