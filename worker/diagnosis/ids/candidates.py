"""Which lists an answer holds, and which fields of their entries look like ids, scores or texts."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct

_MAX_DEPTH: Final = 6
_MAX_LISTS: Final = 12
_MAX_FIELDS: Final = 40
_MAX_ENTRIES: Final = 200
_MAX_ID: Final = 512
_LONG: Final = 60
_WORDS: Final = 3
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID_NAMES: Final = re.compile(
    r"(?:^|[^a-z])(?:_?id|ids|doc_?id|docno|key|_key|uid|uuid|guid|pk|slug|url|uri|path|source)"
    r"(?:[^a-z]|$)|[a-z]Id$",
    re.IGNORECASE,
)
_SCORE_NAMES: Final = re.compile(
    r"score|rank|relevance|similarity|distance|certainty|match", re.IGNORECASE
)

Values = list[Any]


class Field(Struct, frozen=True, kw_only=True):
    """A scalar field of a list's entries: its JMESPath, and its value in each (None: absent)."""

    path: str
    values: Values

    @property
    def looks_like(self) -> str:
        """Tell by values and name: `id`, `score`, `text` or `other`."""
        present = [value for value in self.values if value is not None]
        numbers = [v for v in present if isinstance(v, int | float) and not isinstance(v, bool)]
        if numbers and len(numbers) == len(present):
            ordered = _is_ordered(numbers)
            if _SCORE_NAMES.search(self.path) or (
                ordered and any(isinstance(value, float) for value in numbers)
            ):
                return "score"
        if self.may_be_id and len(set(map(str, present))) == len(present):
            texts = [value for value in present if isinstance(value, str)]
            wordy = sum(text.count(" ") >= _WORDS or len(text) > _LONG for text in texts)
            if _ID_NAMES.search(self.path) or wordy <= len(texts) // 2:
                return "id"
        if present and all(isinstance(value, str) for value in present):
            return "text"
        return "other"

    @property
    def may_be_id(self) -> bool:
        """Whether every entry has a short text or a whole number here."""
        return bool(self.values) and all(
            (isinstance(value, str) and 0 < len(value) <= _MAX_ID)
            or (isinstance(value, int) and not isinstance(value, bool))
            for value in self.values
        )


class Candidate(Struct, frozen=True, kw_only=True):
    """A list that may be the hits. `scalars`: its entries are the values themselves."""

    path: str
    entries: list[Any]
    scalars: bool


def find_candidates(answer: Any) -> list[Candidate]:
    """Return the lists of an answer that are not empty, those of objects first, longest first."""
    found = [
        Candidate(path=path, entries=entries, scalars=not isinstance(entries[0], dict | list))
        for path, entries in _walk(answer, "", 0)
    ]
    found.sort(key=lambda one: (one.scalars, -len(one.entries)))
    return found[:_MAX_LISTS]


def list_fields(entries: Sequence[Any]) -> list[Field]:
    """Return the scalar fields of objects or rows, those that look like ids first."""
    entries = entries[:_MAX_ENTRIES]
    rows = [dict(_flatten(entry, "", 0)) for entry in entries]
    paths = list(dict.fromkeys(path for row in rows for path in row))[:_MAX_FIELDS]
    fields = [Field(path=path, values=[row.get(path) for row in rows]) for path in paths]
    order = {"id": 0, "score": 1, "text": 2, "other": 3}
    return sorted(fields, key=lambda one: (order[one.looks_like], not _named_id(one.path)))


def _named_id(path: str) -> bool:
    return bool(_ID_NAMES.search(path))


def _walk(node: Any, path: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _walk(value, join(path, key), depth + 1)
    elif isinstance(node, list) and node:
        if len(node) > 1 or not isinstance(node[0], list):
            yield path or "@", node
        if isinstance(node[0], list) or len(node) == 1:
            yield from _walk(node[0], f"{path}[0]", depth + 1)


def _flatten(entry: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(entry, dict) and depth < _MAX_DEPTH:
        for key, value in entry.items():
            yield from _flatten(value, join(path, key), depth + 1)
    elif isinstance(entry, list):
        if depth == 0:
            for place, value in enumerate(entry[:_MAX_FIELDS]):
                yield from _flatten(value, f"[{place}]", depth + 1)
    elif path:
        yield path, entry


def join(path: str, key: str) -> str:
    """Append a key to a JMESPath, quoted where it is no plain name."""
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    name = key if _IDENTIFIER.fullmatch(key) else f'"{escaped}"'
    return f"{path}.{name}" if path else name


def _is_ordered(numbers: Sequence[float]) -> bool:
    pairs = list(pairwise(numbers))
    return all(a >= b for a, b in pairs) or all(a <= b for a, b in pairs)
