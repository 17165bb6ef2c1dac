import sqlite3
import sys
from pathlib import Path

import pytest

from service.core.ingest.formats.scratch import Scratch
from service.errors import StorageFullError

ROWS = [(number, "x" * 1_000) for number in range(6_000)]


def held(**bounds: int) -> Scratch:
    """A database with one table."""
    scratch = Scratch(**bounds)
    scratch.run("CREATE TABLE held (number INTEGER, text TEXT)")
    return scratch


def test_what_does_not_fit_is_refused_with_a_way_out() -> None:
    """A database that may not grow further says that there is no room, whatever was run."""
    with pytest.raises(StorageFullError, match="TMPDIR"):
        held(most_bytes=1_000_000).run_all("INSERT INTO held VALUES (?, ?)", ROWS)
    with pytest.raises(StorageFullError, match="TMPDIR"):
        held(most_bytes=1_000_000).run("INSERT INTO held VALUES (1, ?)", ("x" * 2_000_000,))


def test_other_faults_stay_what_they_are() -> None:
    """A statement that is wrong is our fault, and not that of the disk."""
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        held().run("SELECT * FROM other")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        held().find("SELECT * FROM other", ())
    assert held().find("SELECT * FROM held", ()) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_file_has_no_name_and_goes_with_its_owner() -> None:
    """What is too much for memory is in a file that nobody can open, nor finds after a crash."""
    scratch = held()
    scratch.run_all("INSERT INTO held VALUES (?, ?)", ROWS)
    assert len(deleted()) == 1
    assert scratch.run("SELECT count(*) FROM held") == [(len(ROWS),)]
    del scratch
    assert deleted() == []


def deleted() -> list[str]:
    """Names, while they had them, of the open files of SQLite."""
    links = [one for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    names = [str(one.readlink()) for one in links]
    return [name for name in names if "etilqs" in name and name.endswith("(deleted)")]
