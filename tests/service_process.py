"""`python -m service up` as a user starts it, on a free port and a directory of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[1]


class ServiceProcess(Struct, frozen=True):
    """A running service: its address, its supervisor and its data directory."""

    url: str
    process: "subprocess.Popen[str]"
    data: Path


@contextmanager
def run_service(
    data: Path, *, workers: int = 1, log: Path | None = None, **environ: str
) -> Iterator[ServiceProcess]:
    """Start the service, wait until it serves, and interrupt it at the end."""
    words = ["-m", "service", "up", "--port", "0", "--data", str(data), "--workers", str(workers)]
    with (
        (log or data.parent / f"{data.name}.log").open("w") as output,
        subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=clean_environment() | environ,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("ready "), f"the service did not start, see {output.name}"
            yield ServiceProcess(line.split()[1], process, data)
        finally:
            _interrupt(process)


def _interrupt(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def clean_environment() -> dict[str, str]:
    """This environment without settings of the service."""
    return {name: text for name, text in os.environ.items() if not name.startswith("RETEVAL_")}


def find_descendants(pid: int) -> list[int]:
    """Return the processes that a process started, and theirs."""
    found: list[int] = []
    parents = {pid}
    for stat in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda path: int(path.parent.name)):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended since
            continue
        if int(fields[1]) in parents:
            found.append(int(stat.parent.name))
            parents.add(found[-1])
    return found


def is_alive(pid: int) -> bool:
    """Whether the process runs (one that nobody has reaped does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
