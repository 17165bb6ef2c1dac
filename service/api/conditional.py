"""Entity tags: what never changes, or only by known steps, is sent once and confirmed after."""

import hashlib
from typing import Final

import msgspec
from litestar import Response
from litestar.types import Scope, Send

from service.api.bodies import AnyRequest
from service.api.envelope import read_header
from service.api.hot import Known
from service.api.operations import JSON, Answer
from service.errors import PreconditionMissingError

TAGGED: Final = {"ETag": "Strong: of these very bytes."}
IF_MATCH: Final = {"If-Match": "The entity tag of what is to be changed, or `*`."}
IF_NONE_MATCH: Final = {"If-None-Match": "Entity tags the caller has, or `*`."}
_KEPT: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
_KEPT_LINES: Final = [(name.lower().encode(), text.encode()) for name, text in _KEPT.items()]
_JSON_LINE: Final = (b"content-type", JSON.encode())


def known_answers(
    about: str, kind: type[msgspec.Struct], headers: dict[str, str] | None = None
) -> dict[int, Answer]:
    """Describe the answers of a route whose answer can be confirmed."""
    return {
        200: Answer(about=about, media={JSON: kind}, headers={**TAGGED, **(headers or {})}),
        304: Answer(about="It is what `If-None-Match` names", headers=TAGGED),
    }


def answer_known(
    request: AnyRequest, value: msgspec.Struct, *, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer a struct under a tag of its bytes, or 304 to whoever has them."""
    return answer_tagged(request, know(value), headers=headers)


def know(value: msgspec.Struct) -> Known:
    """Write a struct as JSON under a strong tag of its bytes."""
    body = msgspec.json.encode(value)
    return Known(body, f'"{hashlib.sha256(body).hexdigest()}"')


def answer_tagged(
    request: AnyRequest, known: Known, *, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer JSON under its tag, or 304 to whoever has it."""
    if holds(request.scope, known.etag):
        return Response(b"", status_code=304, headers=_mark(known.etag, headers))
    return show_tagged(known, headers=headers)


def show_tagged(
    known: Known, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer JSON under its tag."""
    marked = _mark(known.etag, headers)
    return Response(known.body, status_code=status, media_type=JSON, headers=marked)


def read_precondition(request: AnyRequest) -> str:
    """Return the entity tags that a change names.

    Raises:
        PreconditionMissingError: it names none.
    """
    sent = request.headers.get("If-Match", "")
    if not sent:
        raise PreconditionMissingError(
            "Send the ETag of what you have read as `If-Match`, or `If-Match: *` to overwrite."
        )
    return sent


async def send_tagged(known: Known, scope: Scope, send: Send) -> None:
    """Send what `answer_tagged` answers, byte for byte."""
    headers = [(b"etag", known.etag.encode()), *_KEPT_LINES]
    status, body = 304, b""
    if not holds(scope, known.etag):
        status, body = 200, known.body
        headers += [_JSON_LINE, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def holds(scope: Scope, etag: str) -> bool:
    """Tell whether the caller says it has what the tag names."""
    sent = read_header(scope, b"if-none-match")
    return sent is not None and matches(sent, etag)


def matches(if_none_match: str, etag: str) -> bool:
    """Tell whether a list of tags, or `*`, holds the tag; weakly compared."""
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or etag in tags


def _mark(etag: str, headers: dict[str, str] | None) -> dict[str, str]:
    return {"ETag": etag, **_KEPT, **(headers or {})}
