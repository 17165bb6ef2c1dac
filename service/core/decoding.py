"""Strict decoding of what clients send, with errors that point at the place and say what to do."""

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from reteval.contract.problems import ProblemItem
from service.errors import InvalidError, MalformedJsonError

T = TypeVar("T")

_PLACE: Final = re.compile(
    r"^(?P<message>.*?)(?: - at (?:`key` in )?`\$(?P<path>[^`]*)`)?$", re.DOTALL
)
_STEP: Final = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]|(?P<unknown>\[\.\.\.\])")
_UNKNOWN_FIELD: Final = re.compile(r"unknown field `(?P<name>[^`]*)`")
_MISSING_FIELD: Final = re.compile(r"missing required field `(?P<name>[^`]*)`")


def decode(body: bytes, kind: type[T]) -> T:
    """Decode a JSON body into `kind`, never turning one type into another.

    Raises:
        MalformedJsonError: not JSON (syntax, encoding, nesting).
        InvalidError: JSON that is not a `kind`; the first wrong place is named.
    """
    try:
        return msgspec.json.decode(body, type=kind, strict=True)
    except msgspec.ValidationError as exc:
        check_syntax(body)
        raise InvalidError(
            "The body does not have the form this route reads.", errors=[locate(str(exc), kind)]
        ) from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise _malformed(exc) from exc


def check_syntax(body: bytes) -> None:
    """See that the whole body is JSON, so that a wrong type never hides broken syntax.

    Raises:
        MalformedJsonError: it is not.
    """
    try:
        body.decode()
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise _malformed(exc) from exc


def read_parameters(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """Read query parameters into a struct; unknown and repeated ones are refused.

    Raises:
        InvalidError: `errors` names the parameter as `?name`.
    """
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise _parameter_error(name, "is given more than once", "Give it once.")
        values[name] = value
    try:
        read = msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as exc:
        item = locate(str(exc), kind)
        name = item.pointer.lstrip("/")
        raise _parameter_error(name, item.message, item.fix) from exc
    for name in values:
        if getattr(read, name) is None:  # the word `null` was sent
            raise _parameter_error(name, "null is no value here", "Leave it out.")
    return read


def locate(text: str, kind: Any) -> ProblemItem:
    """Turn a msgspec message such as ``… - at `$.queries[3].id` `` into a place and a fix."""
    match = _PLACE.match(text)
    path = (match["path"] or "") if match else ""
    message = match["message"] if match else text
    pointer = to_pointer(path)
    if unknown := _UNKNOWN_FIELD.search(message):
        name = unknown["name"]
        pointer = f"{pointer}/{escape(name)}"
        close = difflib.get_close_matches(name, field_names(kind), n=1)
        fix = f"Did you mean {close[0]!r}?" if close else f"Leave {name!r} out."
        return ProblemItem(pointer=pointer, message=message, fix=fix)
    if missing := _MISSING_FIELD.search(message):
        return ProblemItem(pointer=pointer, message=message, fix=f"Add {missing['name']!r}.")
    return ProblemItem(pointer=pointer, message=message, fix="Send the type and range named here.")


def to_pointer(path: str) -> str:
    """Translate msgspec's path (`.queries[3]`) to a JSON Pointer (`/queries/3`).

    A key that msgspec does not name (`[...]`) ends the pointer at its object.
    """
    steps = []
    for step in _STEP.finditer(path):
        if step["unknown"]:
            break
        steps.append(escape(step["name"] or step["index"]))
    return "".join(f"/{step}" for step in steps)


def escape(step: str) -> str:
    """Write one reference token of a JSON Pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


@lru_cache(maxsize=64)
def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of all fields of a struct and of the structs inside it."""
    _, components = msgspec.json.schema_components([kind])
    return tuple(
        {name: None for part in components.values() for name in part.get("properties", ())}
    )


def _malformed(exc: Exception) -> MalformedJsonError:
    if isinstance(exc, RecursionError):
        return MalformedJsonError("The JSON is nested too deeply.")
    if isinstance(exc, UnicodeDecodeError):
        return MalformedJsonError(f"The body is not UTF-8 (byte {exc.start}).")
    return MalformedJsonError(f"{exc}. Send one complete JSON document in UTF-8.")


def _parameter_error(name: str, message: str, fix: str) -> InvalidError:
    return InvalidError(
        "A query parameter is not valid.",
        errors=[ProblemItem(pointer=f"?{name}", message=message, fix=fix)],
    )
