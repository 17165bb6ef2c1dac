"""`make demo`'s program does the whole job, says what the pages say, and leaves nothing."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from examples import demo

README = demo.ROOT / "README.md"
PAGE = demo.ROOT / "docs" / "demo.md"
PRINTED = re.compile(
    r"^`make demo` prints.*?^```text\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
VOLATILE = re.compile(r"^(latency|run) .*$|run_\w+|http://\S+", re.MULTILINE)
PARTS = ("ndcg@10", "tag:keyword", "typo.mixed", "short.k1", "synonym", "gibberish", "/results")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the demo a directory for temporary files that nobody else uses."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def ended(directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end."""
    return subprocess.run(
        [sys.executable, "examples/demo.py"],
        cwd=demo.ROOT,
        env={**os.environ, "TMPDIR": str(directory)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def stable(text: str) -> list[str]:
    """Return the lines of a demo's output without what differs between two runs."""
    return [" ".join(line.split()) for line in VOLATILE.sub("", text).splitlines() if line.strip()]


def test_demo_prints_every_part_of_the_report(ended: subprocess.CompletedProcess[str]) -> None:
    """It exits with 0 and shows metrics, slices, both adversarial tables and the way back."""
    assert ended.returncode == 0, ended.stderr
    assert [part for part in PARTS if part not in ended.stdout] == []


def test_demo_has_the_rest_judged(ended: subprocess.CompletedProcess[str]) -> None:
    """The pool is judged whole, and on the version that comes of it nothing is unjudged."""
    assert ended.returncode == 0, ended.stderr
    pooled = re.search(r"^pooled .*: (\d+) pairs, (\d+) judged before$", ended.stdout, re.MULTILINE)
    judged = re.search(r"^judged +(\d+) pairs .*, 0 failed$", ended.stdout, re.MULTILINE)
    assert pooled is not None
    assert judged is not None
    assert int(judged[1]) == int(pooled[1]) - int(pooled[2])
    shares = re.findall(r"^version \d+ .*judged@5 ([\d.]+)$", ended.stdout, re.MULTILINE)
    assert float(shares[0]) < 0.5
    assert float(shares[1]) == 1


def test_demo_prints_what_the_pages_show(ended: subprocess.CompletedProcess[str]) -> None:
    """The result printed in the documentation is the result, ids and times aside."""
    assert shown(PAGE) == stable(ended.stdout)
    assert [line for line in shown(README) if line not in stable(ended.stdout)] == []


def shown(page: Path) -> list[str]:
    """Return the lines of the output that a page shows."""
    printed = PRINTED.search(page.read_text(encoding="utf-8"))
    assert printed is not None
    return stable(printed["text"])


def test_demo_leaves_nothing_behind(
    ended: subprocess.CompletedProcess[str], directory: Path
) -> None:
    """Its temporary directory is gone, and no process that was told of it is left."""
    assert ended.returncode == 0, ended.stderr
    assert list(directory.iterdir()) == []
    assert [line for line in command_lines() if os.fsencode(directory) in line] == []


def test_demo_stops_everything_when_interrupted(tmp_path: Path) -> None:
    """Ctrl-C in the middle ends it with 130, its parts and its directory gone."""
    with subprocess.Popen(
        [sys.executable, "examples/demo.py"],
        cwd=demo.ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + demo.START_S
        while process.poll() is None and time.monotonic() < deadline:
            if any(path.stat().st_size for path in tmp_path.glob("reteval-demo-*/service.out")):
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == []
    assert [line for line in command_lines() if os.fsencode(tmp_path) in line] == []


def command_lines() -> list[bytes]:
    """Return the command line of every process, where the system tells."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # a process may end while being looked at
            lines.append(path.read_bytes())
    return lines
