"""Program sessions: a program ends with its starter, and nothing of it is left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.locks import wait_until
from service.sessions import kill_session, main, tied

# Starts a tied program, prints its process id and waits.
STARTER = """
import os, subprocess, sys, time
from service.sessions import tied
program = [sys.executable, "-c", "import time; time.sleep(60)"]
child = subprocess.Popen(tied(program, parent=os.getpid()), start_new_session=True)
time.sleep(float(sys.argv[1]))
print(child.pid, flush=True)
time.sleep(60)
"""

# Leads a session and starts a child that has left its process group, as a job's fork does.
FAMILY = """
import os, time
pid = os.fork()
if pid == 0:
    os.setpgrp()
    print(os.getpid(), flush=True)
time.sleep(60)
"""


def gone(pid: int) -> bool:
    """Whether the process has ended, reaped or not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_tied_program_ends_with_its_killed_starter() -> None:
    """SIGKILL gives the starter no chance to clean up; the kernel ends the program for it."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, "0.5"], stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert not gone(pid)
        starter.kill()
    assert wait_until(lambda: gone(pid), 10)


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are read from /proc")
def test_kill_session_reaches_every_group() -> None:
    """A descendant in a process group of its own is killed with the session."""
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout is not None
        stray = int(leader.stdout.readline())
        kill_session(leader.pid)
        assert wait_until(lambda: gone(stray), 10)
    assert leader.returncode == -signal.SIGKILL


def test_kill_session_of_nobody() -> None:
    """A session that has ended already is no error."""
    with subprocess.Popen(["true"], start_new_session=True) as leader:
        leader.wait()
    kill_session(leader.pid)


def test_tied_program_runs_with_its_arguments() -> None:
    """The tie changes neither the program's arguments nor its exit code."""
    program = [sys.executable, "-c", "import sys; print(sys.argv[1:]); sys.exit(7)", "a b", "--c"]
    done = subprocess.run(
        tied(program, parent=os.getpid()), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (7, "['a b', '--c']\n")


def test_main_becomes_the_command_while_the_parent_lives() -> None:
    """The command is executed under its own name with all its arguments."""
    executed: list[tuple[str, list[str]]] = []
    main(
        [str(os.getppid()), "prog", "--flag"],
        execute=lambda file, argv: executed.append((file, argv)),
    )
    assert executed == [("prog", ["prog", "--flag"])]


def test_main_does_not_start_for_a_dead_parent() -> None:
    """A parent that died before the tie held would never be noticed, so nothing starts."""
    executed: list[str] = []
    code = main(["1999999999", "prog"], execute=lambda file, _argv: executed.append(file))
    assert (code, executed) == (1, [])


def test_main_names_a_command_that_cannot_run(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing program ends with 127 and its name, as in a shell."""
    code = main([str(os.getppid()), "/no/such/program"], execute=os.execvp)
    assert code == 127
    assert "'/no/such/program'" in capsys.readouterr().err
