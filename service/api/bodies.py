"""Reading requests: media type, size and encoding are checked before a byte is believed."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any, Final, TypeVar

from litestar import Request
from litestar.datastructures import UploadFile
from litestar.exceptions import ClientException, InternalServerException
from litestar.types import HTTPReceiveMessage
from msgspec import Struct

from reteval.contract.limits import MAX_JSON_BYTES
from service.api.access import drop_share
from service.api.decompression import inflate
from service.api.pace import Pace
from service.core.decoding import read_parameters
from service.errors import TooLargeError, UnsupportedMediaTypeError

AnyRequest = Request[Any, Any, Any]
P = TypeVar("P", bound=Struct)

_MULTIPART_OVERHEAD_BYTES: Final = 65_536
_CHARSETS: Final = ("", "utf-8", "utf8", "us-ascii")
_DIGEST: Final = "body_digest"
_GZIP: Final = "gzip"
ENCODINGS: Final = (_GZIP, "identity")


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
    encoding = _encoding(request)
    if encoding not in ENCODINGS:
        raise UnsupportedMediaTypeError(
            f"Content-Encoding {encoding!r} is not read; send the body as it is, or with gzip."
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
    """Yield a body as it arrives, unpacked.

    Raises:
        MalformedTextError: it is not packed as it says.
        TooLargeError: it is longer than `max_bytes`, or grows like a bomb.
        TooSlowError: it comes too slowly.
    """
    if (request.content_length or 0) > max_bytes:
        raise _too_large(max_bytes)
    chunks = _receive(request)
    received = 0
    async for chunk in inflate(chunks) if _encoding(request) == _GZIP else chunks:
        received += len(chunk)
        if received > max_bytes:
            raise _too_large(max_bytes)
        yield chunk


def body_digest(request: AnyRequest) -> str:
    """Return a digest of the body as it was received so far."""
    digest = request.scope["state"].get(_DIGEST)
    return "" if digest is None else str(digest.hexdigest())


async def read_files(
    request: AnyRequest, *, max_bytes: int = MAX_JSON_BYTES
) -> dict[str, UploadFile]:
    """Read the files of a multipart body, by field name.

    Raises:
        TooLargeError: the body is too long.
        ClientException: it is not a multipart body of files (400).
    """
    chunks = stream_body(request, max_bytes=max_bytes + _MULTIPART_OVERHEAD_BYTES)
    form = await Request[Any, Any, Any](request.scope, receive=_replay(chunks)).form()
    async for _ in chunks:
        pass  # what follows the last part is of no part, but of the body
    files: dict[str, UploadFile] = {}
    for name, part in form.multi_items():
        if part == "":
            continue  # where a form asks for a file, and none was chosen
        if not isinstance(part, UploadFile):
            raise ClientException(f"The part {name!r} is no file; send it with a file name.")
        if name in files:
            raise ClientException(f"The part {name!r} is sent twice; send it once.")
        files[name] = part
    return files


async def _receive(request: AnyRequest) -> AsyncIterator[bytes]:
    digest = request.scope["state"][_DIGEST] = hashlib.sha256()
    pace: Pace = request.app.state.pace
    try:
        async for chunk in pace.hold(request.stream()):
            digest.update(chunk)
            yield chunk
    except InternalServerException as exc:  # what the framework makes of a lost connection
        raise ClientException("The connection ended before the body did.") from exc


def _encoding(request: AnyRequest) -> str:
    return request.headers.get("Content-Encoding", "identity").strip().lower()


def _replay(chunks: AsyncIterator[bytes]) -> Any:
    """Hand checked chunks on as if they came from the server; parts are kept on disk."""

    async def receive() -> HTTPReceiveMessage:
        chunk = await anext(chunks, None)
        more = chunk is not None
        return {"type": "http.request", "body": chunk or b"", "more_body": more}

    return receive


def _too_large(max_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"The body is longer than {max_bytes:,} bytes; "
        "send a large test set as application/x-ndjson, a query a line."
    )
