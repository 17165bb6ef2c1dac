"""The page about webhooks says what the code knows."""

import re

from reteval.contract.alerts import AlertEvent
from reteval.contract.webhooks import DEFAULT_GRACE_S, MAX_GRACE_S, PING, RunEvent
from reteval.webhooks import TOLERANCE_S
from service.settings import Settings
from service.store.deliveries import ATTEMPTS_KEPT, KEPT
from tests.contract.test_docs import DOCS, read_table
from worker.webhooks.attempts import JITTER, MAX_ANSWER_BYTES

UNITS = {"s": 1, "min": 60, "h": 3_600}


def read_page() -> str:
    """Return the page with its lines joined."""
    return " ".join((DOCS / "webhooks.md").read_text(encoding="utf-8").split())


def test_events_table_names_every_event_in_order() -> None:
    """Each event has one row that says when it comes."""
    rows = read_table("webhooks.md", "event")
    assert [row["event"] for row in rows] == [*RunEvent, *AlertEvent, PING]
    assert all(row["when"] for row in rows)


def test_schedule_is_the_default_one() -> None:
    """The pauses, their number, and how long all of it takes."""
    settings = Settings.from_env({})
    page = read_page()
    said = re.search(r"The pauses are (.*?) \(`", page)
    assert said is not None
    pauses = [
        float(number) * UNITS[unit] for number, unit in re.findall(r"(\d+) (s|min|h)\b", said[1])
    ]
    assert tuple(pauses) == settings.webhook_retries_s
    assert len(pauses) + 1 == 10
    assert "after ten attempts, three days on" in page
    assert round(sum(pauses) / 86_400) == 3
    assert "varied by up to a fifth" in page
    assert JITTER == (0.8, 1.2)


def test_bounds_are_those_of_the_code() -> None:
    """Deadline, patience, grace, tolerance, and what is kept."""
    settings = Settings.from_env({})
    page = read_page()
    assert f"`RETEVAL_WEBHOOK_TIMEOUT_S` ({settings.webhook_timeout_s:g} s)" in page
    assert "failed for five days (`RETEVAL_WEBHOOK_PATIENCE_S`)" in page
    assert settings.webhook_patience_s == 5 * 86_400
    assert "(a day, at most a week)" in page
    assert (DEFAULT_GRACE_S, MAX_GRACE_S) == (86_400, 7 * 86_400)
    assert "timestamps more than five minutes away" in page
    assert TOLERANCE_S == 5 * 60
    assert f"of the last {ATTEMPTS_KEPT} attempts" in page
    assert f"The log keeps {KEPT} deliveries" in page
    assert f"at most {MAX_ANSWER_BYTES // 1_024} KB are read" in page
