"""What several benchmarks start and upload: programs of ours, and a plain test set."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from reteval import Client

ROOT: Final = Path(__file__).parents[1]


@contextmanager
def started(words: list[str]) -> Iterator[str]:
    """Start a program of ours, yield the address of its ready line, and terminate it."""
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()


@contextmanager
def serving(folder: str, *, workers: int = 1) -> Iterator[str]:
    """Serve on this machine with some workers, and the data in a folder; yield the address."""
    words = [sys.executable, "-m", "service", "up", "--port", "0", "--workers", str(workers)]
    with started([*words, "--data", f"{folder}/data"]) as service:
        yield service


@contextmanager
def answering(*, hits: int = 10, delay_ms: int = 0) -> Iterator[str]:
    """Start an endpoint that costs next to nothing; yield its address."""
    script = str(ROOT / "benchmarks" / "fast_endpoint.py")
    words = [sys.executable, script, "--hits", str(hits), "--delay-ms", str(delay_ms)]
    with started(words) as endpoint:
        yield endpoint


def upload(client: Client, *, queries: int) -> str:
    """Upload a test set of so many queries with one judged document each; return its id."""
    rows = [
        {"query": f"how do I reset part {number}", "relevant_ids": ["doc-00002"]}
        for number in range(queries)
    ]
    return client.upload({"name": f"plain-{queries}", "queries": rows}).id
