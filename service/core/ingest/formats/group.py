"""Queries as files name them: few are in memory, all in a scratch database."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from service.core.ingest.formats.scratch import Scratch

_MOST_RECENT: Final = 10_000
_MOST_CHARS: Final = 2_000_000
_ENCODE: Final = msgspec.msgpack.Encoder().encode


class Group(Struct, kw_only=True, omit_defaults=True):
    """A query found at `at` of the file `origin`; `n` counts them in the order they were found.

    `text` is None as long as only its id is known; `asked` says that a file of queries has it.
    """

    id: str
    text: str | None
    at: int
    origin: int
    need: str = ""
    split: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    asked: bool = False
    n: int = -1


_DECODE: Final = msgspec.msgpack.Decoder(Group).decode


_ASKED: Final = """
SELECT count(*), max(CAST(key AS INTEGER)), total(key GLOB '*[^0-9]*') FROM query WHERE asked
"""
_JUDGED: Final = """
WITH judged (number, odd) AS (
    SELECT CAST(key AS INTEGER), key GLOB '*[^0-9]*'
    FROM query WHERE named AND n IN (SELECT query FROM vote)
    UNION SELECT CAST(value AS INTEGER), value GLOB '*[^0-9]*' FROM json_each(?)
)
SELECT count(*), max(number), total(odd), (
    SELECT count(*) FROM query
    WHERE asked AND CAST(key AS INTEGER) IN (SELECT number FROM judged)
) FROM judged
"""


class Numbers(Struct, frozen=True):
    """Ids that are all numbers: how many are asked and judged, the highest, how many are both."""

    asked: int
    highest_asked: int
    judged: int
    highest_judged: int
    both: int


class Groups:
    """All queries. Those met last are at hand, by id in `recent`, until there are too many."""

    def __init__(self, scratch: Scratch, *, most: int = _MOST_RECENT) -> None:
        self.recent: dict[str, Group] = {}
        self._recent_texts: dict[str, Group] = {}
        self._chars = self._count = self._written = 0
        self._new: list[Group] = []
        self._most = most
        self._scratch = scratch
        scratch.run(
            "CREATE TABLE query (n INTEGER PRIMARY KEY, named INTEGER, key TEXT, asked INTEGER, "
            "body BLOB, UNIQUE (named, key))"
        )

    def find(self, name: str, text: str) -> Group | None:
        """The query with an id; without one, with this text and no id."""
        recent, key = (self.recent, name) if name else (self._recent_texts, text)
        found = recent.get(key)
        if found is None and self._written:
            row = self._scratch.find(
                "SELECT body FROM query WHERE named = ? AND key = ?", (bool(name), key)
            )
            if row is not None:
                found = _DECODE(row[0])
                self._remember(found)
        return found

    def add(self, group: Group) -> None:
        """Take one that `find` does not know."""
        group.n = self._count
        self._count += 1
        self._new.append(group)
        self._remember(group)

    def save(self, group: Group) -> None:
        """Keep what was changed of one."""
        if group.n < self._written:
            statement = "UPDATE query SET asked = ?, body = ? WHERE n = ?"
            self._scratch.run(statement, (group.asked, _ENCODE(group), group.n))

    def __iter__(self) -> Iterator[Group]:
        """All of them in the order in which they were found."""
        self._write()
        for (body,) in self._scratch.rows("SELECT body FROM query ORDER BY n"):
            yield _DECODE(body)

    def count_numbers(self, further: Iterable[str]) -> "Numbers | None":
        """How ids of queries files and those that votes name, or `further`, count; if they do."""
        self._write()
        ((asked, highest, others),) = self._scratch.run(_ASKED)
        if not asked or others:
            return None
        names = msgspec.json.encode(list(further)).decode()
        ((judged, last, others, known),) = self._scratch.run(_JUDGED, (names,))
        return Numbers(asked, highest, judged, last, known) if judged and not others else None

    def _remember(self, group: Group) -> None:
        self._chars += len(group.id) + len(group.text or "")
        if len(self._recent_texts) + len(self.recent) >= self._most or self._chars > _MOST_CHARS:
            self._write()
            self.recent.clear()
            self._recent_texts.clear()
            self._chars = 0
        if group.id:
            self.recent[group.id] = group
        else:
            self._recent_texts[group.text or ""] = group

    def _write(self) -> None:
        self._scratch.run_all("INSERT INTO query VALUES (?, ?, ?, ?, ?)", map(_row, self._new))
        self._new.clear()
        self._written = self._count


def _row(group: Group) -> tuple[Any, ...]:
    named = bool(group.id)
    return group.n, named, group.id or group.text or "", group.asked, _ENCODE(group)
