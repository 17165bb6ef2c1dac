"""Writing responses: structs as JSON, streams as they are made."""

import math
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from litestar import Response
from litestar.response import Stream

from reteval.contract.comparisons import Comparison
from reteval.contract.previews import Preview
from reteval.contract.probes import Probe
from service.api.operations import JSON

POLL_HEADERS: Final = {"Retry-After": "Seconds until it is worth asking again; while it runs."}


def answer(
    value: msgspec.Struct, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer with a struct as JSON. NaN cannot leave: msgspec writes it as null."""
    return Response(
        msgspec.json.encode(value), status_code=status, media_type=JSON, headers=headers
    )


def answer_job(job: Comparison | Preview | Probe, *, created: bool = False) -> Response[bytes]:
    """Answer a job's state: 202 while one just asked for goes on, with the pause until then."""
    headers = {"Location": job.links["self"]} if created else {}
    if job.poll_after_s is not None:
        headers["Retry-After"] = str(math.ceil(job.poll_after_s))
    pending = created and not job.status.terminal
    return answer(job, status=202 if pending else 200, headers=headers)


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
