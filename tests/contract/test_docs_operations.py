"""The runbook and the code agree: every number, verdict and name that it speaks of exists."""

import re
from pathlib import Path

import pytest

from service.core.inspection import Verdict
from service.settings import TABLE

ROOT = Path(__file__).parents[2]
RUNBOOK = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
SUFFIXES = ("_bucket", "_count", "_sum")
PLACES = ("docs/operations.md", "docs/scaling.md", "examples/kubernetes.yaml")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first column has that heading."""
    lines = RUNBOOK.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def metric_names() -> set[str]:
    """Return the names of the table of metrics, which the API's own test compares with the page."""
    return {row[0].strip("` ") for row in rows("metric")}


def test_every_verdict_is_in_the_runbook() -> None:
    """What `admin` says of a job has its row, with what to do."""
    explained = rows("what is up")
    assert {row[0] for row in explained} == set(Verdict)
    assert all(len(row) == 3 and all(row) for row in explained)


@pytest.mark.parametrize("place", PLACES)
def test_metrics_that_are_spoken_of_exist(place: str) -> None:
    """Alarms, examples and advice name only numbers that are on the page."""
    text = (ROOT / place).read_text(encoding="utf-8")
    spoken = set(re.findall(r"\breteval_[a-z_]*[a-z]\b", text))
    for suffix in SUFFIXES:
        spoken = {name.removesuffix(suffix) for name in spoken}
    assert spoken - metric_names() == set()


def test_every_alarm_says_what_to_do() -> None:
    """Each alarm has an expression over our numbers, a meaning and a way out."""
    alarms = rows("alarm")
    assert len(alarms) >= 10
    for row in alarms:
        assert len(row) == 4
        assert all(row)
        assert "`" in row[1]
        assert "reteval_" in row[1]


@pytest.mark.parametrize("place", PLACES)
def test_settings_that_are_spoken_of_exist(place: str) -> None:
    """No page or example names a setting that the service does not read."""
    text = (ROOT / place).read_text(encoding="utf-8")
    assert set(re.findall(r"\bRETEVAL_[A-Z_]+\b", text)) <= {row.variable for row in TABLE}
