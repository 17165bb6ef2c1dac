"""How long it takes from a clone to a gate, with nothing to go on but what each command prints.

The repository is cloned as it is committed, `make serve` installs and starts what it needs, and
`reteval init` is the last command that is known beforehand: from there on each hint is carried
out as it is printed, until none is left. The search is the example of the repository. What is
downloaded depends on the line; everything else on the machine.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

ROOT: Final = Path(__file__).parents[1]
HINT: Final = "next: "
LAST: Final = "gate"
GOAL_MINUTES: Final = 5
MOST_STEPS: Final = 12


class Done(Struct, frozen=True):
    """How a command ended, and all it wrote."""

    code: int
    written: str


class Step(Struct, frozen=True):
    """A command line, how it ended and how long it took."""

    line: str
    done: Done
    seconds: float


class LostError(Exception):
    """A newcomer would stand here without knowing what to do."""


def main() -> int:
    """Go the whole way once and print how long each step took; 1 if it is too long."""
    with tempfile.TemporaryDirectory(prefix="reteval-newcomer-") as folder:
        began = time.monotonic()
        clone, project = Path(folder) / "reteval", Path(folder) / "project"
        project.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S607
        show("git clone", time.monotonic() - began)
        steps = follow(clone, project)
        minutes = (time.monotonic() - began) / 60
    print(f"\n{steps} commands of reteval, each but the first as it was printed")
    print(f"figure newcomer_minutes {minutes:.2f} goal <= {GOAL_MINUTES}")
    return int(minutes > GOAL_MINUTES)


def follow(clone: Path, project: Path) -> int:
    """Start service and search from the clone and follow the hints; return how many commands."""
    began = time.monotonic()
    with started(["make", "serve", "PORT=0", f"DATA={project / 'data'}"], clone) as service:
        show("make serve", time.monotonic() - began)
        python = str(clone / ".venv" / "bin" / "python")
        with started([python, "examples/endpoint.py", "--port", "0"], clone) as search:
            steps = 0
            go_on = partial(carry_out, clone=clone, project=project, service=service)
            for step in walk(f"reteval init --endpoint {search}", go_on):
                show(shlex.join(shlex.split(step.line)[:2]), step.seconds)
                steps += 1
    return steps


def walk(first: str, carry_out: Callable[[list[str]], Done]) -> Iterator[Step]:
    """Carry out a command line and whatever each one says comes next, to the end.

    Raises:
        LostError: a command failed, or the way does not end at a gate that was passed.
    """
    line, seen = first, 0
    while True:
        began = time.monotonic()
        words = shlex.split(line)
        done = carry_out(words)
        yield Step(line, done, time.monotonic() - began)
        seen += 1
        if done.code or seen > MOST_STEPS:
            raise LostError(f"{line!r} ended with {done.code} as step {seen}:\n{done.written}")
        hints = [text for text in done.written.splitlines() if text.startswith(HINT)]
        if not hints:
            break
        line = hints[-1].removeprefix(HINT)
    if LAST not in words:
        raise LostError(f"nothing follows {line!r}:\n{done.written}")


def carry_out(words: list[str], *, clone: Path, project: Path, service: str) -> Done:
    """Run the command that the clone has installed, in the newcomer's project."""
    command = [str(clone / ".venv" / "bin" / words[0]), *words[1:]]
    ended = subprocess.run(
        command,
        cwd=project,
        env=clean_environment() | {"RETEVAL_URL": service},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(ended.returncode, ended.stdout)


@contextmanager
def started(words: list[str], folder: Path) -> Iterator[str]:
    """Start a program, yield the address of its ready line, and interrupt all of it at the end."""
    with subprocess.Popen(
        words,
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101
            lines = (line.split() for line in process.stdout)
            yield next(line[1] for line in lines if line[:1] == ["ready"])
        finally:
            os.killpg(process.pid, signal.SIGINT)


def clean_environment() -> dict[str, str]:
    """Return this environment as somebody has it who has never heard of the project."""
    mine = ("RETEVAL_", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: text for name, text in os.environ.items() if not name.startswith(mine)}


def show(step: str, seconds: float) -> None:
    """Print a row."""
    print(f"{step:<24} {seconds:7.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
