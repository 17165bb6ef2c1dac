"""Votes on queries, scattered over files: they go to a scratch database and come back together."""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from service.core.ingest.formats.scratch import Scratch
from service.errors import TooLargeError

_HELD: Final = 10_000
MOST_OF_A_QUERY: Final = 200_000
"""Twenty raters may judge all the documents that a query may have."""


class Cast(Struct, array_like=True, frozen=True, gc=False):
    """A vote on a document, in the row `row` of `origin`; `member` as in `Vote`."""

    document: str
    grade: int
    row: int
    member: int
    origin: int


_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(list[Cast]).decode


class Votes:
    """All votes. Those that come one after the other for a query are kept as one."""

    def __init__(self, scratch: Scratch, *, held: int = _HELD, most: int = MOST_OF_A_QUERY) -> None:
        self._held: dict[int, list[Cast]] = {}
        self._count, self._most_held, self._most = 0, held, most
        self._scratch = scratch
        scratch.run("CREATE TABLE vote (query INTEGER, casts BLOB)")

    def add(self, query: int, cast: Cast) -> None:
        """Take a vote on the query of this number."""
        if query in self._held:
            self._held[query].append(cast)
        else:
            self._held[query] = [cast]
        self._count += 1
        if self._count >= self._most_held:
            self.write()

    def write(self) -> None:
        """Put those that are held into the database."""
        rows = ((query, _ENCODE(casts)) for query, casts in self._held.items())
        self._scratch.run_all("INSERT INTO vote VALUES (?, ?)", rows)
        self._held.clear()
        self._count = 0

    def grouped(self) -> Iterator[tuple[int, list[Cast]]]:
        """Yield the votes on each query that has some, in their order; queries by number.

        Raises:
            TooLargeError: more votes on a query than can be looked at together.
        """
        self.write()
        last, together = -1, list[Cast]()
        statement = "SELECT query, casts FROM vote ORDER BY query, rowid"
        for query, casts in self._scratch.rows(statement):
            if query != last and together:
                yield last, together
                together = []
            last = query
            together += _DECODE(casts)
            if len(together) > self._most:
                raise TooLargeError(f"A query has over {self._most:,} rows: leave some out.")
        if together:
            yield last, together
