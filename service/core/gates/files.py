"""Reading gates from JSON and YAML; both end in the same strict struct.

YAML is read as the data it shares with JSON: no tags, no anchors, and plain words are only
null, true, false or numbers where JSON would say so (`no` is a word, a date is text).
"""

import re
from collections.abc import Hashable
from typing import Any, Final, TypeVar

import msgspec
import yaml

from reteval.contract.gates import GateRequest
from service.core.decoding import decode, locate
from service.errors import InvalidError, MalformedTextError, TooLargeError

T = TypeVar("T")
MAX_YAML_BYTES: Final = 65_536
MAX_YAML_DEPTH: Final = 10


def read_json(body: bytes) -> GateRequest:
    """Read a gate from JSON.

    Raises:
        MalformedJsonError: not JSON.
        InvalidError: not a gate; the first wrong place is named.
    """
    return decode(body, GateRequest)


def read_yaml(body: bytes) -> GateRequest:
    """Read a gate from YAML; raises as `read_yaml_as`."""
    return read_yaml_as(body, GateRequest)


def read_yaml_as(body: bytes, kind: type[T]) -> T:
    """Read a gate, or what has one in it, from YAML.

    Raises:
        TooLargeError: longer than 65,536 bytes.
        MalformedTextError: not YAML, or YAML that says more than JSON can.
        InvalidError: none of this kind; the first wrong place is named.
    """
    if len(body) > MAX_YAML_BYTES:
        raise TooLargeError(f"A body in YAML is at most {MAX_YAML_BYTES:,} bytes.")
    document = _load(body)
    try:
        return msgspec.convert(document, kind, strict=True)
    except msgspec.ValidationError as exc:
        raise InvalidError(
            "The body does not have the form this route reads.",
            errors=[locate(str(exc), kind)],
        ) from exc


def _load(body: bytes) -> Any:
    try:
        text = body.decode()
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader, narrowed
    except UnicodeDecodeError as exc:
        raise MalformedTextError(f"The body is not UTF-8 (byte {exc.start}).") from exc
    except yaml.MarkedYAMLError as exc:
        raise _refused(exc.problem or "its syntax is broken", exc.problem_mark) from exc
    except (yaml.YAMLError, ValueError) as exc:
        raise MalformedTextError("The body cannot be read as YAML.") from exc


def _check_events(text: str) -> None:
    """Refuse what could unfold or nest without bound before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _refused(
                "anchors and aliases are not read; write the value out", event.start_mark
            )
        if getattr(event, "tag", None):
            raise _refused("tags are not read; write plain values", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise _refused(f"it is nested deeper than {MAX_YAML_DEPTH} levels", event.start_mark)


def _refused(problem: str, mark: Any) -> MalformedTextError:
    where = "" if mark is None else f" (line {mark.line + 1}, column {mark.column + 1})"
    return MalformedTextError(f"The body cannot be read as YAML: {problem}{where}.")


_TEXT: Final = "tag:yaml.org,2002:str"
_NUMBER_STARTS: Final = list("-0123456789")
_INTEGER: Final = r"-?(?:0|[1-9][0-9]*)"
_SCALARS: Final = (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", _INTEGER, _NUMBER_STARTS),
    (
        "float",
        rf"{_INTEGER}(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)",
        _NUMBER_STARTS,
    ),
)


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for name, pattern, starts in _SCALARS:
        for start in starts:
            rule = (f"tag:yaml.org,2002:{name}", re.compile(rf"(?:{pattern})\Z"))
            table.setdefault(start, []).append(rule)
    return table


class _Loader(yaml.SafeLoader):
    """A SafeLoader that resolves plain scalars as JSON does and refuses repeated keys."""

    yaml_implicit_resolvers = _resolvers()

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002 - as in yaml
    ) -> dict[Hashable, Any]:
        """Build a mapping whose keys are text, each once."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _TEXT:
                raise _refused("a key is no text", key.start_mark)
            if key.value in seen:
                raise _refused(f"the key {key.value!r} is there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)
