"""Backups: whole runs and test sets as one file, and how its frames are told apart and checked.

A file is `MAGIC`, frames, and an end. A frame is its length (uint32, little endian), the SHA-256
of its payload and the payload; the end is the length 0 and the SHA-256 of all digests before it.
What a payload holds is the service's; anyone can check a file without reading it.
"""

import hashlib
import struct
from collections.abc import Iterator
from typing import Annotated, Final

from msgspec import Meta, Struct, field

MAGIC: Final = b"reteval-backup 1\n"
MEDIA: Final = "application/vnd.reteval.backup"
MAX_FRAME_BYTES: Final = 268_435_456
MAX_NAMED: Final = 10_000
_LENGTH: Final = struct.Struct("<I")
_DIGEST: Final = 32
_HEAD: Final = _LENGTH.size + _DIGEST

Id = Annotated[str, Meta(min_length=1, max_length=200)]


class BackupRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/backups`: what to put into the file.

    A run brings its test set along, a judging the sets that are judged and came of it. `all` takes
    every test set, every run that has ended, and every judging that no job is at work on.
    """

    runs: Annotated[list[Id], Meta(max_length=MAX_NAMED)] = field(default_factory=list)
    judgings: Annotated[list[Id], Meta(max_length=MAX_NAMED)] = field(default_factory=list)
    test_sets: Annotated[list[Id], Meta(max_length=MAX_NAMED)] = field(default_factory=list)
    all: bool = False


class Restoration(Struct, frozen=True, kw_only=True):
    """What became of the objects of a backup: made, or there already with the same content.

    `kept` are judgings that are there with other content, since people went on with them.
    """

    restored: tuple[str, ...]
    skipped: tuple[str, ...]
    kept: tuple[str, ...] = ()


class BrokenBackupError(ValueError):
    """A file that is no backup, is damaged, or ends too early."""


class FrameWriter:
    """Wraps payloads into a file, in order: `begin`, any number of `frame`, `end`."""

    def __init__(self) -> None:
        self._chain = hashlib.sha256()

    def begin(self) -> bytes:
        """Return how a file begins."""
        return MAGIC

    def frame(self, payload: bytes) -> bytes:
        """Return a payload as a frame.

        Raises:
            ValueError: it is empty or too long.
        """
        if not 0 < len(payload) <= MAX_FRAME_BYTES:
            raise ValueError(f"a frame holds 1 to {MAX_FRAME_BYTES:,} bytes, not {len(payload):,}")
        digest = hashlib.sha256(payload).digest()
        self._chain.update(digest)
        return _LENGTH.pack(len(payload)) + digest + payload

    def end(self) -> bytes:
        """Return how a file ends."""
        return _LENGTH.pack(0) + self._chain.digest()


class FrameReader:
    """Takes a file in pieces of any size and gives its payloads, each checked."""

    def __init__(self) -> None:
        self._chain = hashlib.sha256()
        self._pending = bytearray()
        self._begun = self._ended = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield the payloads that are complete with this piece.

        Raises:
            BrokenBackupError: it is no backup, or damaged.
        """
        self._pending += piece
        if not self._begun and not self._begin():
            return
        while len(self._pending) >= _HEAD:
            (length,) = _LENGTH.unpack_from(self._pending)
            digest = bytes(self._pending[_LENGTH.size : _HEAD])
            if self._ended or length > MAX_FRAME_BYTES:
                raise BrokenBackupError("the file is damaged: a frame of an impossible length")
            if not length:
                self._end(digest)
                continue
            if len(self._pending) < _HEAD + length:
                return
            payload = bytes(self._pending[_HEAD : _HEAD + length])
            del self._pending[: _HEAD + length]
            if hashlib.sha256(payload).digest() != digest:
                raise BrokenBackupError("the file is damaged: a checksum does not fit")
            self._chain.update(digest)
            yield payload

    def close(self) -> None:
        """See that the file was complete.

        Raises:
            BrokenBackupError: it was not.
        """
        if not self._begun:
            raise BrokenBackupError("this is no backup of reteval")
        if not self._ended or self._pending:
            raise BrokenBackupError("the file is damaged: it does not end as a backup does")

    def _begin(self) -> bool:
        start = bytes(self._pending[: len(MAGIC)])
        if not MAGIC.startswith(start):
            raise BrokenBackupError(
                "this is no backup that can be read here: it does not begin with "
                f"{MAGIC.decode().strip()!r}"
            )
        self._begun = start == MAGIC
        if self._begun:
            del self._pending[: len(MAGIC)]
        return self._begun

    def _end(self, digest: bytes) -> None:
        if digest != self._chain.digest():
            raise BrokenBackupError("the file is damaged: frames are missing or out of order")
        del self._pending[:_HEAD]
        self._ended = True
