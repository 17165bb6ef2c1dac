"""All pages of the service."""

from typing import Final

from service.pages import files, queries, report, runs

HANDLERS: Final = (*files.HANDLERS, *runs.HANDLERS, *report.HANDLERS, *queries.HANDLERS)
