"""Routes whose object may be another team's: tried as one's own first, then by a grant."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from service.core.grants import find_view
from service.errors import NotFoundError

Handler = Callable[..., Awaitable[Any]]


def try_grants(handler: Handler, parameter: str) -> Handler:
    """Return a handler that looks for a grant where the object in `parameter` is not there.

    A foreign object without a grant and one that is nowhere answer alike, after the same work.
    """

    @wraps(handler)
    async def answer(**arguments: Any) -> Any:
        try:
            return await handler(**arguments)
        except NotFoundError:
            view = await find_view(arguments["backend"], parameter, arguments[parameter])
            if view is None:
                raise
            return await handler(**arguments | {"backend": view})

    return answer
