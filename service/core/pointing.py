"""Where errors point when what they are about stands somewhere within a body."""

import contextlib
from collections.abc import Iterator

from msgspec import structs

from service.errors import ServiceError


@contextlib.contextmanager
def pointing_at(place: str, *, of: str = "") -> Iterator[None]:
    """Let errors that point at `of`, or at what is within, point at a place in this body."""
    try:
        yield
    except ServiceError as exc:
        exc.errors = tuple(
            structs.replace(item, pointer=place + item.pointer.removeprefix(of))
            for item in exc.errors
        )
        raise
