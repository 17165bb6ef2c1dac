"""Program sessions: a program that ends with its starter, and the killing of all it left behind.

Run as a program, `sessions.py PARENT COMMAND…` ties itself to the process `PARENT` and becomes
`COMMAND`: done between fork and exec this would run Python code in a forked copy of a threaded
process. Uses the standard library only, and knows nothing of the service.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

_PR_SET_PDEATHSIG: Final = 1
_SESSION_FIELD: Final = 3  # of /proc/PID/stat, counted after the command's closing parenthesis


def tied(argv: Sequence[str], *, parent: int) -> list[str]:
    """The command line that runs `argv` for as long as the process `parent` lives."""
    return [sys.executable, "-I", "-S", str(Path(__file__)), str(parent), *argv]


def kill_session(session: int) -> None:
    """Kill every process of the session, whatever group it has moved to."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    for pid in _members(session):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def main(argv: Sequence[str], *, execute: Callable[[str, list[str]], Any]) -> int:
    """Tie this process to its parent `argv[0]` and become the program `argv[1:]`.

    Linux sends SIGTERM when the parent dies; elsewhere the program is not tied.
    """
    parent, command = int(argv[0]), list(argv[1:])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 1  # the parent died before the tie held
    try:
        execute(command[0], command)
    except OSError as exc:
        sys.stderr.write(f"{command[0]!r} cannot be run: {exc.strerror}\n")
    return 127


def _members(session: int) -> list[int]:
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[_SESSION_FIELD]) == session:
                members.append(int(stat.parent.name))
    return members


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], execute=os.execvp))
