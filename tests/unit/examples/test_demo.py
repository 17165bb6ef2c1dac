"""The parts of the demo that work without the service."""

import json
import os
import shlex
from pathlib import Path

import msgspec
import pytest

from examples import demo
from reteval.contract.runs import RunRequest

SERVES = "import os, time; print('ready', os.getpid(), flush=True); time.sleep(60)"
LISTS = """
import os, time
print('ready', [key for key in os.environ if key.startswith('RETEVAL_')], flush=True)
time.sleep(60)
"""


def is_alive(process_id: int) -> bool:
    """Say whether a process exists."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def fail_beside(directory: Path, seen: list[int]) -> None:
    """Run a part, note its process, and fail while it runs."""
    with demo.running("part", ["-c", SERVES], directory) as line:
        seen.append(int(line))
        assert is_alive(seen[0])
        raise KeyError(line)


def test_running_stops_the_program_when_the_block_fails(tmp_path: Path) -> None:
    """The program lives inside the block and is gone after it, whatever ended the block."""
    seen: list[int] = []
    with pytest.raises(KeyError):
        fail_beside(tmp_path, seen)
    assert [is_alive(process_id) for process_id in seen] == [False]


def test_running_reports_what_a_program_said_before_it_ended(tmp_path: Path) -> None:
    """A part that does not come up is named with the last lines of its log."""
    arguments = ["-c", "import sys; sys.exit('port 7 is taken')"]
    with (
        pytest.raises(demo.DemoError, match=r"part did not start(.|\n)*port 7 is taken"),
        demo.running("part", arguments, tmp_path),
    ):
        pass


def test_running_hides_settings_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No `RETEVAL_*` variable reaches a part, so that the demo cannot write to a real store."""
    monkeypatch.setenv("RETEVAL_REDIS_URL", "redis://production")
    with demo.running("part", ["-c", LISTS], tmp_path) as line:
        assert line == "[]"


def test_run_request_is_what_the_service_reads() -> None:
    """The demo's run passes the contract's strict decoding."""
    request = demo.run_request("velory-help", "http://127.0.0.1:9000/search")
    decoded = msgspec.json.decode(json.dumps(request), type=RunRequest)
    assert decoded.test_set == "velory-help"
    assert decoded.adversarial is not None


def test_repetition_prints_three_calls_that_a_shell_can_read() -> None:
    """Upload, run and results: one curl line each, with the body in one piece."""
    request = demo.run_request("velory-help", "http://127.0.0.1:9000/search")
    calls = [
        shlex.split(line, comments=True)
        for line in demo.repetition(request).splitlines()
        if line.lstrip().startswith("curl")
    ]
    targets = [call[2].removeprefix(demo.API) for call in calls]
    assert targets == ["/test-sets", "/runs", "/runs/RUN_ID/results"]
    assert (demo.ROOT / calls[0][-1].removeprefix("@")).is_file()
    assert json.loads(calls[1][-1]) == request
