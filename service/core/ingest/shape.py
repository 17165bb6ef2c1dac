"""Decodes JSON into a type and says where it does not fit. Knows no rule beyond the types."""

import re
from difflib import get_close_matches
from typing import Final, TypeVar

import msgspec

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, Scale, TestSetUpload
from service.errors import MalformedJsonError

T = TypeVar("T")

BOM: Final = b"\xef\xbb\xbf"
_AT: Final = " - at `"
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_UNKNOWN: Final = re.compile(r"unknown field `(.*)`", re.DOTALL)
_MAX_ECHO: Final = 200
_FIELDS: Final = tuple(
    dict.fromkeys(
        name
        for struct in (TestSetUpload, Query, Judgment, Scale)
        for name in struct.__struct_fields__
    )
)


def decode(
    data: bytes | msgspec.Raw,
    decoder: msgspec.json.Decoder[T],
    *,
    pointer: str = "",
    row: int | None = None,
) -> T | ProblemItem:
    """Decode `data`, found at `pointer` or in line `row`; a problem if it is of another shape.

    Raises:
        MalformedJsonError: syntax, encoding or depth.
    """
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as exc:
        _check_syntax(data, pointer=pointer, row=row)
        return _misfit(str(exc), pointer=pointer, row=row)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise _malformed(exc, pointer=pointer, row=row) from exc


def _check_syntax(data: bytes | msgspec.Raw, *, pointer: str, row: int | None) -> None:
    # A body that is also no JSON further on cannot be read at all: that outranks the misfit.
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise _malformed(exc, pointer=pointer, row=row) from exc


def _malformed(exc: Exception, *, pointer: str, row: int | None) -> MalformedJsonError:
    reason = "nested too deeply" if isinstance(exc, RecursionError) else str(exc)
    where = pointer if row is None else f"line {row}"
    message = f"{where}: {reason}" if where else reason
    fix = "Send one JSON object in UTF-8."
    if row is not None:
        fix = "Write one complete JSON object on each line, in UTF-8."
    item = ProblemItem(pointer=pointer, message=message, fix=fix, row=row)
    return MalformedJsonError(f"{message}. {fix}", errors=[item])


def _misfit(text: str, *, pointer: str, row: int | None) -> ProblemItem:
    message, at, path = text.rpartition(_AT)
    if not at:
        message, path = text, ""
    inside = "".join(
        f"/{_escaped(name or number)}" for name, number in _STEP.findall(path.removesuffix("`"))
    )
    unknown = _UNKNOWN.search(message)
    if unknown:
        inside += f"/{_escaped(unknown[1][:_MAX_ECHO])}"
    return ProblemItem(
        pointer=pointer + inside, message=message[:_MAX_ECHO], fix=_fix(message, unknown), row=row
    )


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _fix(message: str, unknown: re.Match[str] | None) -> str:
    if unknown:
        close = get_close_matches(unknown[1][:_MAX_ECHO], _FIELDS, n=1)
        return f"Did you mean {close[0]!r}?" if close else "Remove the field."
    if "missing required" in message:
        return "Add the field."
    return "Send a value of the expected type within its bounds, or leave an optional field out."
