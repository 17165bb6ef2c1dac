"""All pages of the service."""

from typing import Final

from service.pages import files, runs

HANDLERS: Final = (*files.HANDLERS, *runs.HANDLERS)
