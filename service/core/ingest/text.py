"""What text formats share: the encoding check and how a grade is written."""

import io
import re
from collections.abc import Iterator
from typing import Final

from service.core.ingest.shape import BOM
from service.errors import MalformedTextError

_GRADE: Final = re.compile(r"([+-]?[0-9]{1,9})(?:\.0+)?")


def read_utf8(body: bytes, what: str) -> str:
    """Decode `body`, dropping a byte order mark; `what` names the file in the error.

    Raises:
        MalformedTextError: it is not UTF-8.
    """
    body = body.removeprefix(BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as exc:
        line = body.count(b"\n", 0, exc.start) + 1
        raise MalformedTextError(
            f"line {line} of the {what} is not UTF-8 (byte {body[exc.start]:#04x}). "
            "Save the file as UTF-8; Latin-1 and UTF-16 are not read."
        ) from exc


def read_lines(body: bytes, what: str) -> Iterator[tuple[int, str]]:
    """Read lines one at a time with their one-based numbers, without their ends.

    Raises:
        MalformedTextError: the body is not UTF-8; before the first line.
    """
    read_utf8(body, what)
    for row, line in enumerate(io.BytesIO(body.removeprefix(BOM)), start=1):
        yield row, line.decode().removesuffix("\n").removesuffix("\r")


def read_grade(text: str) -> int | None:
    """Read a whole number, also written as `3.0` (as tables with gaps are); else None."""
    match = _GRADE.fullmatch(text.strip())
    return int(match[1]) if match else None
