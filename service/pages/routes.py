"""All pages of the service."""

from typing import Final

from service.pages import (
    files,
    imports,
    judgings,
    progress,
    review,
    runs,
    sign_in,
    start,
    test_sets,
)

HANDLERS: Final = (
    *files.HANDLERS,
    *runs.HANDLERS,
    *start.HANDLERS,
    *progress.HANDLERS,
    *test_sets.HANDLERS,
    *imports.HANDLERS,
    *judgings.HANDLERS,
    *review.HANDLERS,
    *sign_in.HANDLERS,
)
