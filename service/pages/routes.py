"""All pages of the service."""

from typing import Final

from service.pages import files, judgings, progress, review, runs, sign_in, start

HANDLERS: Final = (
    *files.HANDLERS,
    *runs.HANDLERS,
    *start.HANDLERS,
    *progress.HANDLERS,
    *judgings.HANDLERS,
    *review.HANDLERS,
    *sign_in.HANDLERS,
)
