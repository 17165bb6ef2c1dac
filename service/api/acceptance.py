"""What a route can answer: which methods it has, and whether the caller accepts its form."""

from typing import Final

from litestar import Response
from litestar.datastructures.headers import Accept
from litestar.routes import HTTPRoute

from service.api.bodies import AnyRequest
from service.api.operations import JSON_LINES, OPERATION, Operation
from service.errors import NotAcceptableError

_ANY: Final = "*/*"
_LINES: Final = (JSON_LINES, "application/ndjson", "application/jsonl")


async def check_request(request: AnyRequest) -> Response[bytes] | None:
    """Answer OPTIONS, and refuse to work for an answer that the caller would not read.

    Raises:
        NotAcceptableError: `Accept` names nothing that the route answers.
    """
    if request.method == "OPTIONS":
        return Response(b"", status_code=204, headers={"Allow": ", ".join(list_methods(request))})
    sent = request.headers.get("Accept", _ANY)
    operation = request.route_handler.opt.get(OPERATION)
    if sent == _ANY or not isinstance(operation, Operation):
        return None
    offered = list_media(operation)
    if offered and Accept(sent).best_match(offered) is None:
        raise NotAcceptableError(f"This route answers {' or '.join(offered)}.")
    return None


def list_methods(request: AnyRequest) -> list[str]:
    """Return the methods of a path; the framework's own list misses some of several handlers."""
    path = request.scope["path_template"]
    routes = [route for route in request.app.routes if isinstance(route, HTTPRoute)]
    return sorted({name for route in routes if route.path_format == path for name in route.methods})


def list_media(operation: Operation) -> list[str]:
    """Return the types of a route's successful answers, other names of theirs included."""
    media = dict.fromkeys(name for answer in operation.answers.values() for name in answer.media)
    return [*media, *(_LINES[1:] if JSON_LINES in media else ())]
