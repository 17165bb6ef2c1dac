from pathlib import Path

import pytest

from service.server_log import ServerLog

START = "7:M 30 Nov 2026 15:08:08.101 * oO0OoO0OoO0Oo Valkey is starting oO0OoO0OoO0Oo\n"


def log_of(folder: Path, text: str) -> ServerLog:
    """Return the log of a server that wrote `text`."""
    (folder / "log").write_text(text)
    return ServerLog(folder / "log")


def test_only_the_last_start_counts(tmp_path: Path) -> None:
    """What an earlier life of the server said does not explain this one."""
    log = log_of(
        tmp_path, f"{START}7:M 1 Jan 2026 1:1:1.000 # Bad file format reading x\n{START}fine\n"
    )
    assert log.tail() == "fine"
    assert not log.tells_damage()


def test_last_words_lose_their_stamp(tmp_path: Path) -> None:
    """Process and time are left out; what is not stamped stays whole."""
    stamped = log_of(tmp_path, f"{START}7:M 30 Nov 2026 15:08:08.101 # Can't write. Exiting...\n")
    assert stamped.last_words() == "Can't write. Exiting..."
    assert log_of(tmp_path, "no room\n").last_words() == "no room"


@pytest.mark.parametrize("text", ["", None])
def test_no_log_is_said(tmp_path: Path, text: str | None) -> None:
    """A server that wrote nothing, or nowhere, is told as such."""
    log = ServerLog(tmp_path / "none") if text is None else log_of(tmp_path, text)
    assert log.tail() == log.last_words() == "it left no log"


@pytest.mark.parametrize(
    "line",
    [
        "# Bad file format reading the append only file a.aof: make a backup",
        "# Unable to obtain the AOF file a.aof length. stat: No such file or directory",
        "*** FATAL AOF MANIFEST FILE ERROR ***",
        "# Internal error in RDB reading offset 0",
    ],
)
def test_damage_is_recognised(tmp_path: Path, line: str) -> None:
    """Each way in which the server refuses its file counts."""
    assert log_of(tmp_path, f"{START}{line}\n").tells_damage()
