"""All pages of the service."""

from typing import Final

from service.pages import files, runs, sign_in

HANDLERS: Final = (*files.HANDLERS, *runs.HANDLERS, *sign_in.HANDLERS)
