"""A private database for what an import holds until all is read: on disk, with little memory.

SQLite makes a database without a name as a file that is deleted as soon as it is open, so that
nothing of it stays after a crash. It is closed when nothing refers to it any more, and never
under a thread that still reads.
"""

import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from service.errors import no_room

MOST_BYTES: Final = 4_000_000_000
_PAGE_BYTES: Final = 4_096
_CACHED_KIB: Final = 4_096
_NO_ROOM: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
)
_SETTINGS: Final = (
    f"PRAGMA page_size = {_PAGE_BYTES}",
    f"PRAGMA cache_size = -{_CACHED_KIB}",
    "PRAGMA temp_store = FILE",  # what is sorted, too
    "PRAGMA journal_mode = OFF",  # nothing is taken back
    "PRAGMA synchronous = OFF",
    "BEGIN",
)

Values = Sequence[Any]


class Scratch:
    """Runs statements; used by one thread at a time, not always the same."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self.run(f"PRAGMA max_page_count = {max(1, most_bytes // _PAGE_BYTES)}")
        for setting in _SETTINGS:
            self.run(setting)

    def run(self, statement: str, values: Values = ()) -> list[Any]:
        """Run a statement and return its rows.

        Raises:
            StorageFullError: there is no room for it.
        """
        return list(self.rows(statement, values))

    def find(self, statement: str, values: Values) -> Any:
        """Run a statement and return its first row, None where there is none.

        Raises:
            StorageFullError: as `run`.
        """
        try:
            return self._database.execute(statement, values).fetchone()
        except sqlite3.OperationalError as exc:
            raise _explain(exc) from exc

    def rows(self, statement: str, values: Values = ()) -> Iterator[Any]:
        """Run a statement and yield its rows as they are asked for.

        Raises:
            StorageFullError: as `run`.
        """
        try:
            yield from self._database.execute(statement, values)
        except sqlite3.OperationalError as exc:
            raise _explain(exc) from exc

    def run_all(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement with each of many values.

        Raises:
            StorageFullError: as `run`.
        """
        try:
            self._database.executemany(statement, values)
        except sqlite3.OperationalError as exc:
            raise _explain(exc) from exc


def _explain(exc: sqlite3.OperationalError) -> Exception:
    if exc.sqlite_errorcode & 0xFF not in _NO_ROOM:
        return exc
    return no_room()
