"""Placeholders: where a text leaves room, and what is written there.

A text is cut once into pieces. Filling in joins those pieces with encoded values, so that a value
which itself looks like a placeholder is never expanded again.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import Struct

from reteval.contract.endpoints import FIELD, JSON_FILTER, PLACEHOLDER

Value = str | int | float | bool | list[float] | None
Values = Mapping[str, Value]
"""What each placeholder stands for in one request, by its name without braces."""

QUERY: Final = "query"
QUERY_ID: Final = "query_id"
K: Final = "k"
Encode = Callable[[str], str]
_encode: Final = msgspec.json.Encoder().encode


class MissingFieldError(Exception):
    """A query without a field that the request needs; the text names it."""


class Slot(Struct, frozen=True):
    """The place of a placeholder; `write` gives the value's text for where it stands."""

    name: str
    write: Callable[[Value], str]


Piece = str | Slot


class Layout(Struct, frozen=True):
    """A text whose slots are `%s`; a `%` of its own is doubled."""

    text: str
    slots: tuple[Slot, ...]


def cut(text: str, encode: Encode, literal: Encode) -> list[Piece]:
    """Cut a text at its placeholders: values go through `encode`, the rest through `literal`."""
    pieces: list[Piece] = []
    for index, part in enumerate(PLACEHOLDER.split(text)):
        pieces.append(_slot(part, encode) if index % 2 else literal(part))
    return pieces


def cut_json(node: Any) -> list[Piece]:
    """Cut a JSON tree into pieces of its text; a placeholder that is all of a string has a type."""
    if isinstance(node, dict):
        pieces: list[Piece] = ["{"]
        for index, (key, value) in enumerate(node.items()):
            pieces += ["," if index else "", write_json(key), ":", *cut_json(value)]
        return [*pieces, "}"]
    if isinstance(node, list):
        pieces = ["["]
        for index, value in enumerate(node):
            pieces += ["," if index else "", *cut_json(value)]
        return [*pieces, "]"]
    if not isinstance(node, str):
        return [write_json(node)]
    whole = PLACEHOLDER.fullmatch(node)
    if whole and not whole[1].endswith(JSON_FILTER):
        # The number of hits is an int in every request; others may be of any type.
        return [Slot(whole[1], str if whole[1] == K else write_json)]
    return ['"', *cut(node, json_inner, json_inner), '"']


def merge(pieces: list[Piece]) -> Layout:
    """Join the pieces, so that filling in touches the slots alone."""
    texts = ["%s" if isinstance(piece, Slot) else piece.replace("%", "%%") for piece in pieces]
    return Layout("".join(texts), tuple(piece for piece in pieces if isinstance(piece, Slot)))


def fill(layout: Layout, values: Values) -> str:
    """Write the text with the values in their places.

    Raises:
        MissingFieldError: the query has no field of that name.
    """
    try:
        return layout.text % tuple([slot.write(values[slot.name]) for slot in layout.slots])
    except KeyError as exc:
        name = str(exc.args[0]).removeprefix(FIELD)
        raise MissingFieldError(f"the query has no field {name!r}") from exc


def has_slots(layout: Layout) -> bool:
    """Whether anything is filled in."""
    return bool(layout.slots)


def find_names(node: object) -> set[str]:
    """Return the placeholders in a tree of JSON."""
    if isinstance(node, str):
        return {name.removesuffix(JSON_FILTER) for name in PLACEHOLDER.findall(node)}
    if isinstance(node, dict):
        return set().union(*map(find_names, node.values()))
    return set().union(*map(find_names, node)) if isinstance(node, list) else set()


def percent(text: str) -> str:
    """Write a text for a URL's path or query, or for a header."""
    return quote(text, safe="")


def plus(text: str) -> str:
    """Write a text for a form."""
    return quote_plus(text)


def to_text(value: Value) -> str:
    """Write a value where there are no types."""
    if isinstance(value, str):
        return value
    return "" if value is None else write_json(value)


def write_json(value: Any) -> str:
    """Write a value as JSON."""
    return _encode(value).decode()


def json_inner(text: str) -> str:
    """Write a text as the inside of a JSON string."""
    return write_json(text)[1:-1]


def _slot(part: str, encode: Encode) -> Slot:
    name = part.removesuffix(JSON_FILTER)
    if name != part:
        return Slot(name, lambda value: encode(json_inner(to_text(value))))
    return Slot(name, lambda value: encode(to_text(value)))
