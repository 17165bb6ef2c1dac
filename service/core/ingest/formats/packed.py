"""Unpacks gzip, zip and tar files, never to more than an upload may be."""

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Final, cast

from reteval.contract.limits import MAX_NDJSON_BYTES
from service.core.ingest.formats.files import File
from service.errors import MalformedTextError, TooLargeError

MAX_ENTRIES: Final = 200
MAX_RATIO: Final = 200
"""Run files of long equal rows are packed to a hundredth; a bomb to a thousandth."""
_SLACK: Final = 1 << 20
_BUFFER: Final = 1 << 18
_DAMAGE: Final = (
    zlib.error,
    EOFError,
    OSError,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class _Bounded(io.RawIOBase):
    """What is unpacked, as long as it is no more than it may be."""

    def __init__(self, inner: IO[bytes], name: str, most: int) -> None:
        self._inner, self._name, self._most, self._done = inner, name, most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            piece = self._inner.read(len(buffer))
        except _DAMAGE as exc:
            raise MalformedTextError(f"{self._name} cannot be unpacked: {exc}.") from exc
        self._done += len(piece)
        if self._done > self._most:
            raise TooLargeError(f"{self._name} unpacks to over {self._most:,} bytes: split it.")
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._inner.close()
        super().close()


def unpack(files: Sequence[File]) -> list[File]:
    """Return the files inside those that are packed, and the others as they are.

    Raises:
        MalformedTextError: a packed file is damaged or encrypted.
        TooLargeError: too many files, or too much.
    """
    found: list[File] = []
    for file in files:
        found += _unpack_one(file, depth=2)
        if len(found) > MAX_ENTRIES:
            raise TooLargeError(f"The upload holds over {MAX_ENTRIES} files: send what is needed.")
    return found


def _unpack_one(file: File, depth: int) -> list[File]:
    start = file.read(512)
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        inside = _zip_entries(file)
    elif start[:2] == b"\x1f\x8b":
        name = file.name.removesuffix(".gz").removesuffix(".tgz")
        most = _most(_size(file))
        inside = [File(name, _opener(partial(_gunzip, file), name, most))]
    elif start[257:262] == b"ustar":
        return [File(file.name, partial(_tar_names, file), "corpus")]
    else:
        return [file]
    if depth == 0:
        raise MalformedTextError(f"{file.name} is packed more than twice.")
    kept = [File(one.name, one.open, file.part) for one in inside]
    return [inner for one in kept for inner in _unpack_one(one, depth - 1)]


def _gunzip(file: File) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=file.open()))


def _zip_entries(file: File) -> list[File]:
    try:
        archive = zipfile.ZipFile(file.open())
        entries = [entry for entry in archive.infolist() if _is_content(entry.filename)]
    except _DAMAGE as exc:
        raise MalformedTextError(f"{file.name} cannot be unpacked: {exc}.") from exc
    if len(entries) > MAX_ENTRIES:
        raise TooLargeError(f"{file.name} holds over {MAX_ENTRIES} files: send what is needed.")
    return [
        File(
            entry.filename,
            _opener(partial(archive.open, entry), entry.filename, _most(entry.compress_size)),
        )
        for entry in entries
    ]


def _is_content(name: str) -> bool:
    last = name.rpartition("/")[2]
    return bool(last) and not last.startswith(".") and "__MACOSX" not in name


def _opener(start: Callable[[], IO[bytes]], name: str, most: int) -> Callable[[], IO[bytes]]:
    def begin() -> IO[bytes]:
        try:
            inner = start()
        except _DAMAGE as exc:
            raise MalformedTextError(f"{name} cannot be unpacked: {exc}.") from exc
        return io.BufferedReader(_Bounded(inner, name, most), _BUFFER)

    return begin


def _most(packed: int) -> int:
    return min(MAX_NDJSON_BYTES, _SLACK + MAX_RATIO * packed)


def _size(file: File) -> int:
    with file.open() as stream:
        done = 0
        while piece := stream.read(_BUFFER):
            done += len(piece)
        return done


def _tar_names(file: File) -> IO[bytes]:
    """A tar holds a document a file: its list of names, without endings, is the list of ids."""
    return io.BytesIO("".join(f"{name}\n" for name in _names(file)).encode())


def _names(file: File) -> Iterator[str]:
    try:
        with file.open() as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for entry in archive:
                if entry.isfile() and _is_content(entry.name):
                    yield entry.name.rpartition("/")[2].rpartition(".")[0] or entry.name
    except _DAMAGE as exc:
        raise MalformedTextError(f"{file.name} cannot be unpacked: {exc}.") from exc
