"""Reading requests: media type, size and encoding are checked before a byte is believed."""

from collections.abc import AsyncIterator
from typing import Any, Final, TypeVar

from litestar import Request
from litestar.datastructures import UploadFile
from litestar.exceptions import ClientException
from litestar.types import HTTPReceiveMessage
from msgspec import Struct

from reteval.contract.limits import MAX_JSON_BYTES
from service.api.access import drop_share
from service.core.decoding import read_parameters
from service.errors import TooLargeError, UnsupportedMediaTypeError

AnyRequest = Request[Any, Any, Any]
P = TypeVar("P", bound=Struct)

_MULTIPART_OVERHEAD_BYTES: Final = 65_536
_CHARSETS: Final = ("", "utf-8", "utf8", "us-ascii")


class NoParameters(Struct, frozen=True, forbid_unknown_fields=True):
    """The query parameters of a route that has none."""


def read_query(request: AnyRequest, kind: type[P]) -> P:
    """Read the query parameters; unknown, repeated and out-of-range ones are refused.

    Raises:
        InvalidError: `errors` names the parameter.
    """
    return read_parameters(drop_share(request), kind)


def check_media(request: AnyRequest, accepted: tuple[str, ...]) -> str:
    """Return the media type of the body.

    Raises:
        UnsupportedMediaTypeError: not one the route reads, or an encoding or charset it does not.
    """
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding != "identity":
        raise UnsupportedMediaTypeError(
            f"Content-Encoding {encoding!r} is not read; send the body as it is."
        )
    media, options = request.content_type
    media = media.lower()
    if media not in accepted:
        raise UnsupportedMediaTypeError(
            f"Content-Type {media!r} is not read here; use {' or '.join(accepted)}."
        )
    charset = options.get("charset", "").lower()
    if charset not in _CHARSETS:
        raise UnsupportedMediaTypeError(f"Charset {charset!r} is not read; send UTF-8.")
    return media


async def read_body(request: AnyRequest, *, max_bytes: int = MAX_JSON_BYTES) -> bytes:
    """Read a whole body.

    Raises:
        TooLargeError: it is longer than `max_bytes`.
    """
    return b"".join([chunk async for chunk in stream_body(request, max_bytes=max_bytes)])


async def stream_body(request: AnyRequest, *, max_bytes: int) -> AsyncIterator[bytes]:
    """Yield a body as it arrives.

    Raises:
        TooLargeError: it is longer than `max_bytes`.
    """
    if (request.content_length or 0) > max_bytes:
        raise _too_large(max_bytes)
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > max_bytes:
            raise _too_large(max_bytes)
        yield chunk


async def read_files(
    request: AnyRequest, *, max_bytes: int = MAX_JSON_BYTES
) -> dict[str, UploadFile]:
    """Read the files of a multipart body, by field name.

    Raises:
        TooLargeError: the body is too long.
        ClientException: it is not a multipart body of files (400).
    """
    body = await read_body(request, max_bytes=max_bytes + _MULTIPART_OVERHEAD_BYTES)
    form = await Request[Any, Any, Any](request.scope, receive=_replay(body)).form()
    files: dict[str, UploadFile] = {}
    for name, part in form.multi_items():
        if not isinstance(part, UploadFile):
            raise ClientException(f"The part {name!r} is no file; send it with a file name.")
        if name in files:
            raise ClientException(f"The part {name!r} is sent twice; send it once.")
        files[name] = part
    return files


def _replay(body: bytes) -> Any:
    async def receive() -> HTTPReceiveMessage:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _too_large(max_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"The body is longer than {max_bytes:,} bytes; "
        "send a large test set as application/x-ndjson, a query a line."
    )
