"""Standard error that may fail: where a line cannot be written it is lost, and work goes on."""

import contextlib
import sys
from typing import Any, TextIO


class ForgivingStream:
    """A text stream whose writes never raise `OSError`: a full disk must not stop a run."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be written."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what can be flushed."""
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def forgive_stderr() -> None:
    """Let this process go on when its log cannot be written."""
    if not isinstance(sys.stderr, ForgivingStream):
        sys.stderr = ForgivingStream(sys.stderr)
