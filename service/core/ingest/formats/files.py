"""Files of an upload, packed or not, that are opened as often as they are read."""

import codecs
import io
from collections.abc import Callable
from typing import IO, Final

from msgspec import Struct

from service.errors import MalformedTextError

_STEP: Final = 1 << 20
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UNKNOWN_IN_CP1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")


class File(Struct, frozen=True):
    """A named file; `open` starts at its first byte each time. `part` is how it was sent."""

    name: str
    open: Callable[[], IO[bytes]]
    part: str = ""

    def read(self, most: int) -> bytes:
        """Return the first `most` bytes."""
        with self.open() as stream:
            return stream.read(most)

    def text(self, encoding: str) -> io.TextIOWrapper:
        """Open it as text whose line ends are left alone."""
        return io.TextIOWrapper(self.open(), encoding=encoding, newline="")


class Encoding(Struct, frozen=True):
    """How a file's characters are written; `guessed` where nothing in it says so."""

    name: str
    guessed: bool = False


def find_encoding(file: File) -> Encoding:
    """Find it by reading the whole file: UTF-8, UTF-16 by its mark, else Windows-1252 or Latin-1.

    Raises:
        MalformedTextError: it holds U+0000, or UTF-8 that is broken somewhere.
    """
    with file.open() as stream:
        start = stream.read(4)
        for mark, name in _MARKS.items():
            if start.startswith(mark):
                return _checked(file, Encoding(name))
        stream.seek(0) if stream.seekable() else None
    foreign = _foreign_bytes(file)
    if foreign is None:
        return Encoding("utf-8")
    return Encoding("latin-1" if foreign & _UNKNOWN_IN_CP1252 else "cp1252", guessed=True)


def _checked(file: File, encoding: Encoding) -> Encoding:
    line = 1
    decoder = codecs.getincrementaldecoder(encoding.name)()
    with file.open() as stream:
        while True:
            piece = stream.read(_STEP)
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as exc:
                raise _broken(file, line, encoding.name) from exc
            line += _count_lines(file, text, line)
            if not piece:
                return encoding


def _foreign_bytes(file: File) -> frozenset[int] | None:
    """Return the bytes that are no UTF-8, or None where all are."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    line, broken, proper = 1, 0, False
    foreign: set[int] = set()
    with file.open() as stream:
        while piece := stream.read(_STEP):
            text = decoder.decode(piece)
            if not text.isascii():
                escaped = [char for char in set(text) if "\udc80" <= char <= "\udcff"]
                if escaped and not broken:
                    first = min(text.index(char) for char in escaped)
                    broken = line + text.count("\n", 0, first)
                foreign.update(ord(char) - 0xDC00 for char in escaped)
                proper = proper or any(char > "\x7f" for char in set(text).difference(escaped))
            line += _count_lines(file, text, line)
    foreign.update(decoder.getstate()[0])  # what is left of a character that the end cuts
    if not foreign:
        return None
    if proper:
        raise _broken(file, broken or line, "UTF-8")
    return frozenset(foreign)


def _count_lines(file: File, text: str, line: int) -> int:
    if "\x00" in text:
        at = line + text.count("\n", 0, text.index("\x00"))
        raise MalformedTextError(
            f"line {at} of {file.name} holds U+0000: this is no text, or it is damaged."
        )
    return text.count("\n")


def _broken(file: File, line: int, encoding: str) -> MalformedTextError:
    return MalformedTextError(
        f"line {line} of {file.name} is not {encoding}, as the rest of it is: it is damaged there. "
        "Save the file anew as UTF-8."
    )
