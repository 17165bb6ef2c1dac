"""Bodies of an upload: one file, several as parts, or lines that are read as they arrive."""

import io
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from typing import IO, Final

from msgspec import Struct

from reteval.contract.imports import ImportOptions
from reteval.contract.limits import MAX_IMPORT_BYTES, MAX_LINE_BYTES, MAX_NDJSON_BYTES
from reteval.contract.testsets import Scale, TestSetHead
from service.api.bodies import AnyRequest, check_media, read_files, stream_body
from service.api.operations import (
    BINARY,
    CSV,
    GZIP,
    JSON,
    JSON_LINES,
    MULTIPART,
    PARQUET,
    TEXT,
    TSV,
    ZIP,
)
from service.api.parameters import UploadParameters
from service.core import test_sets
from service.core.backend import Backend
from service.core.importing import Upload, stage_upload
from service.core.ingest.formats.files import File
from service.core.ingest.formats.reading import JSON_PART, are_own_lines
from service.core.test_sets import StagedSet

_LINE_MEDIA: Final = (JSON_LINES, "application/ndjson", "application/jsonl")
_ACCEPTED: Final = (JSON, *_LINE_MEDIA, CSV, TSV, TEXT, ZIP, GZIP, PARQUET, BINARY, MULTIPART)
_IN_MEMORY_BYTES: Final = 8_000_000
_OF_HEAD: Final = frozenset(UploadParameters.__struct_fields__) - {"dry_run"}


class MultipartUpload(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parts of a multipart upload: one file or several, each told by its content.

    The names here help where content cannot tell: `corpus` holds documents, of which only the
    ids are read; any other name will do.
    """

    file: bytes | None = None
    topics: bytes | None = None
    queries: bytes | None = None
    qrels: bytes | None = None
    corpus: bytes | None = None


async def stage(request: AnyRequest, backend: Backend, asked: UploadParameters) -> StagedSet:
    """Read an upload and write its queries apart; lines of our own as they arrive.

    Raises:
        ServiceError: the body, or what it holds, is refused.
    """
    media = check_media(request, _ACCEPTED)
    if media in _LINE_MEDIA and _options(asked) == ImportOptions():
        chunks = stream_body(request, max_bytes=MAX_NDJSON_BYTES)
        async with aclosing(_rejoin(chunks)) as lines:
            start = await anext(lines)
            if are_own_lines(start):
                return await test_sets.stage_ndjson(backend, _head(asked), _prepend(start, lines))
            async with _spooled(_prepend(start, lines)) as file:
                return await stage_upload(backend, _upload(request, asked, [file]))
    async with receive(request, asked) as upload:
        return await stage_upload(backend, upload)


@asynccontextmanager
async def receive(request: AnyRequest, asked: UploadParameters) -> AsyncIterator[Upload]:
    """Keep the files of an upload on disk while they are read.

    Raises:
        ServiceError: the body is refused.
    """
    media = check_media(request, _ACCEPTED)
    async with AsyncExitStack() as stack:
        if media == MULTIPART:
            parts = await read_files(request, max_bytes=MAX_IMPORT_BYTES)
            for part in parts.values():
                stack.callback(part.file.close)
            files = [
                File(part.filename or name, partial(_view, part.file), name)
                for name, part in parts.items()
            ]
        else:
            chunks = stream_body(request, max_bytes=MAX_IMPORT_BYTES)
            told = JSON_PART if media == JSON else ""
            files = [await stack.enter_async_context(_spooled(chunks, told))]
        yield _upload(request, asked, files)


def _upload(request: AnyRequest, asked: UploadParameters, files: list[File]) -> Upload:
    said = _OF_HEAD.intersection(request.query_params)
    return Upload(files=files, head=_head(asked), options=_options(asked), said=said)


@asynccontextmanager
async def _spooled(chunks: AsyncIterator[bytes], part: str = "") -> AsyncIterator[File]:
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        async for chunk in chunks:
            spool.write(chunk)
        yield File("the body", partial(_view, spool), part)


class _View(io.RawIOBase):
    """A place of its own in a file that several read, one after the other."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner, self._at = inner, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {0: 0, 1: self._at}.get(whence)
        self._at = self._inner.seek(0, 2) + offset if base is None else base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._inner.seek(self._at)
        piece = self._inner.read(len(buffer))
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def _view(inner: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_View(inner), 1 << 18)


async def _rejoin(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield at least the first line in one piece, then the rest as it comes."""
    start = b""
    async for chunk in chunks:
        start += chunk
        if b"\n" in start.lstrip() or len(start) > MAX_LINE_BYTES:
            break
    yield start
    async for chunk in chunks:
        yield chunk


async def _prepend(start: bytes, rest: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield start
    async for chunk in rest:
        yield chunk


def _options(asked: UploadParameters) -> ImportOptions:
    return ImportOptions(**{name: getattr(asked, name) for name in ImportOptions.__struct_fields__})


def _head(asked: UploadParameters) -> TestSetHead:
    return TestSetHead(
        name=asked.name,
        scale=Scale(max=asked.scale_max),
        relevant_from=asked.relevant_from,
        language=asked.language,
        id_rule=asked.id_rule,
        allow_unscorable=asked.allow_unscorable,
    )
