"""All pages of the service."""

from typing import Final

from service.pages import files, progress, runs, sign_in, start

HANDLERS: Final = (
    *files.HANDLERS,
    *runs.HANDLERS,
    *start.HANDLERS,
    *progress.HANDLERS,
    *sign_in.HANDLERS,
)
