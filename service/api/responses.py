"""Writing responses: structs as JSON, streams as they are made."""

from collections.abc import AsyncIterator

import msgspec
from litestar import Response
from litestar.response import Stream

from service.api.operations import JSON


def answer(
    value: msgspec.Struct, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer with a struct as JSON. NaN cannot leave: msgspec writes it as null."""
    return Response(
        msgspec.json.encode(value), status_code=status, media_type=JSON, headers=headers
    )


def answer_nothing() -> Response[bytes]:
    """Answer that it is done and there is nothing to say."""
    return Response(b"", status_code=204)


def answer_stream(
    chunks: AsyncIterator[bytes], *, media: str, filename: str | None = None
) -> Stream:
    """Answer with chunks as they are made; with `filename`, as a download."""
    headers = {}
    if filename is not None:
        headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return Stream(chunks, media_type=media, headers=headers)
