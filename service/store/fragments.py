"""What a copy of an object is made of, and what of each kind of object is copied."""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from service.store import keys

ID: Final = re.compile(r"(run|ts|jdg)_[0-9A-Za-z]{1,64}")


class Kind(Struct, frozen=True):
    """Fields of a record and parts beside it; `changing` fields do not say what the object is."""

    head: tuple[str, ...]
    parts: tuple[str, ...]
    changing: tuple[str, ...] = ()


KINDS: Final = {
    "ts": Kind(("draft", "version", "created", "bytes"), ("queries",)),
    "run": Kind(
        (
            *("spec", "status", "queue", "error", "etag", "bytes", "pinned", "cancel", "schema"),
            *("created_ms", "started_ms", "finished_ms", "epoch", "attempts", "crash_count"),
            *("total", "done", "failed", "workers", "small", "look", "holdout"),
        ),
        keys.LASTING_PARTS,
        ("pinned", "look", "holdout"),
    ),
    "jdg": Kind(
        (
            *("spec", "state", "created_ms", "revision", "error", "bytes"),
            *("pool", "judges", "review", "reviewed", "frozen"),
        ),
        ("pairs", "votes", "queue"),
        ("bytes",),
    ),
}
"""Of a judging, neither header values nor endpoints' answers; who voted is told by the votes."""


class Opening(Struct, frozen=True, tag="open"):
    """An object begins: fields of its record, and its place in the order of its kind."""

    id: str
    head: dict[str, bytes]
    position: str


class Piece(Struct, frozen=True, tag="piece"):
    """Some fields of a part; a part that is no hash has one field without a name."""

    part: str
    fields: dict[str, bytes]


class Closing(Struct, frozen=True, tag="close"):
    """An object is complete; the digest is over all of it."""

    id: str
    digest: str


class Dropped(Struct, frozen=True, tag="drop"):
    """The object was deleted while it was read: forget what came of it."""

    id: str


class Seen(Struct, frozen=True, tag="seen"):
    """Runs that looked at a hold-out, by their turn, also those that are gone."""

    holdout: str
    looks: dict[str, int]


Fragment = Opening | Piece | Closing | Dropped | Seen


class Digest:
    """The content hash of an object, whatever pieces it comes in."""

    def __init__(self, opening: Opening) -> None:
        self._sha = hashlib.sha256()
        changing = KINDS[kind_of(opening.id)].changing
        self._add("", {k: v for k, v in opening.head.items() if k not in changing})

    def add(self, piece: Piece) -> None:
        """Take the next piece."""
        self._add(piece.part, piece.fields)

    def hex(self) -> str:
        """Return the hash of what was taken so far."""
        return self._sha.hexdigest()

    def _add(self, part: str, fields: Mapping[str, bytes]) -> None:
        for name in sorted(fields, key=in_order):
            self._sha.update(msgspec.msgpack.encode((part, name, fields[name])))


def in_order(name: str) -> tuple[int, str]:
    """Sort `2` before `10`, so that chunks stay in order."""
    return len(name), name


def kind_of(object_id: str) -> str:
    """Return the name of an object's kind, with which its id begins."""
    return object_id.partition("_")[0]
