"""Whether a route can answer in a form that the caller accepts."""

from typing import Final

from litestar.datastructures.headers import Accept

from service.api.bodies import AnyRequest
from service.api.operations import JSON_LINES, OPERATION, Operation
from service.errors import NotAcceptableError

_ANY: Final = "*/*"
_LINES: Final = (JSON_LINES, "application/ndjson", "application/jsonl")


async def check_accept(request: AnyRequest) -> None:
    """Refuse to work for an answer that the caller would not read.

    Raises:
        NotAcceptableError: `Accept` names nothing that the route answers.
    """
    sent = request.headers.get("Accept", _ANY)
    operation = request.route_handler.opt.get(OPERATION)
    if sent == _ANY or not isinstance(operation, Operation):
        return
    offered = list_media(operation)
    if offered and Accept(sent).best_match(offered) is None:
        raise NotAcceptableError(f"This route answers {' or '.join(offered)}.")


def list_media(operation: Operation) -> list[str]:
    """Return the types of a route's successful answers, other names of theirs included."""
    media = dict.fromkeys(name for answer in operation.answers.values() for name in answer.media)
    return [*media, *(_LINES[1:] if JSON_LINES in media else ())]
