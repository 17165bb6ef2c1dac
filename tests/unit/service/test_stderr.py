import errno
import io
import sys

import pytest

from service.stderr import ForgivingStream, forgive_stderr


class FullDisk(io.StringIO):
    """A stream that takes nothing."""

    def write(self, _text: str) -> int:
        """Refuse."""
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self) -> None:
        """Refuse."""
        raise OSError(errno.ENOSPC, "No space left on device")


def test_line_that_cannot_be_written_is_lost() -> None:
    """A full disk is not the writer's problem; one with room gets the line."""
    lost, kept = ForgivingStream(FullDisk()), io.StringIO()
    assert lost.write("a line\n") == len("a line\n")
    lost.flush()
    ForgivingStream(kept).write("a line\n")
    assert kept.getvalue() == "a line\n"
    assert not lost.isatty()


def test_stderr_is_wrapped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that call each other do not wrap it again and again."""
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    forgive_stderr()
    wrapped = sys.stderr
    forgive_stderr()
    assert sys.stderr is wrapped
