"""Log lines are JSON objects with what is bound to the work, whoever writes them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
SCRIPT = """
import logging, sys
import structlog
from service.logs import configure_logs
configure_logs(sys.argv[1])
log = structlog.get_logger("reteval.test")
with structlog.contextvars.bound_contextvars(job="run_1", epoch=3):
    log.debug("low")
    log.info("line\\nbreak", url="http://x/\\u00e9")
    logging.getLogger("rq.worker").warning("late by %d s", 3)
    logging.getLogger("httpx").info("GET http://secret")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("broke")
    logging.getLogger("other").exception("broke, too")
"""


def write(level: str) -> list[dict[str, Any]]:
    """Return the lines of a process that logs from this level up."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, level], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_lines_are_json_with_what_is_bound() -> None:
    """Our own and the libraries' lines carry the ids of the work, a level and a UTC time."""
    line, late, broke, other = write("info")
    assert (line["event"], line["job"], line["epoch"]) == ("line\nbreak", "run_1", 3)
    assert (late["event"], late["job"], late["logger"]) == ("late by 3 s", "run_1", "rq.worker")
    assert "ZeroDivisionError" in broke["exception"]
    assert "ZeroDivisionError" in other["exception"]
    assert "job" not in broke
    for each in (line, late, broke, other):
        assert each["level"] in ("info", "warning", "error")
        assert each["timestamp"].endswith("Z")


def test_level_is_the_operators() -> None:
    """A lower level shows more of ours, a higher one less; libraries only warn."""
    assert write("debug")[0]["event"] == "low"
    assert [line["event"] for line in write("error")] == ["broke", "broke, too"]
