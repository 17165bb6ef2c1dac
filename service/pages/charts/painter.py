"""Paints pictures in a program of its own: the renderer keeps Python from doing anything else.

`python -m service.pages.charts.painter` reads a line of JSON for each picture, `[spec, config]`,
and answers with a line, `[done, text]`. It ends when nothing can come any more.
"""

import signal
import subprocess
import sys
import threading
from typing import IO, Final

import msgspec

_END_S: Final = 5


class PaintError(Exception):
    """The renderer cannot make a picture of a specification; the message is its own."""


class Painter:
    """Paints one picture after the other; the program is started when it is first needed.

    Threads may share it. A program that died is started again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._program: subprocess.Popen[bytes] | None = None

    def paint(self, request: bytes) -> str:
        """Return the picture of a specification.

        Raises:
            PaintError: the specification is wrong, or the program does not live long enough.
        """
        with self._lock:
            answer = self._ask(request) or self._ask(request)
        if not answer:
            raise PaintError("the renderer ended without an answer")
        done, text = msgspec.json.decode(answer, type=tuple[bool, str])
        if not done:
            raise PaintError(text)
        return text

    def close(self) -> None:
        """End the program."""
        program, self._program = self._program, None
        if program is not None:
            program.communicate(timeout=_END_S)

    def _ask(self, request: bytes) -> bytes:
        """Return the line that answers a request; empty where the program is gone."""
        if self._program is None:
            self._program = subprocess.Popen(  # noqa: S603 - this module
                [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        pipes = self._program.stdin, self._program.stdout
        assert pipes[0] is not None  # noqa: S101 - they are asked for above
        assert pipes[1] is not None  # noqa: S101
        try:
            pipes[0].write(request + b"\n")
            pipes[0].flush()
            answer = pipes[1].readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            self._program.kill()
            self.close()
        return answer


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer each line with the picture of its specification, until there are no more."""
    import vl_convert  # noqa: PLC0415 - of this program alone

    for line in requests:
        spec, config = msgspec.json.decode(line)
        try:
            svg = vl_convert.vegalite_to_svg(spec, config=config, allowed_base_urls=[])
            answer = (True, svg)
        except ValueError as exc:
            answer = (False, str(exc))
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    serve(sys.stdin.buffer, sys.stdout.buffer)
