"""The pages about schedules and alerts say what the code does."""

from reteval.contract.alerts import (
    DEFAULT_QUIET_S,
    MAX_ALERTS,
    MAX_NAMED,
    MAX_TOLD,
    AlertEvent,
    AlertState,
)
from reteval.contract.gates import GateOutcome
from reteval.contract.schedules import (
    DEFAULT_GRACE_S,
    MAX_GRACE_S,
    MAX_SCHEDULES,
    FireOutcome,
    MissedPolicy,
    OverlapPolicy,
)
from service.core.alerting import SPEAKS_FOR
from service.core.cron import MOST_COUNTED
from service.settings import Settings
from service.store import alerts, schedules
from tests.contract.test_docs import DOCS, read_table


def read_page(name: str) -> str:
    """Return a page with its lines joined."""
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def test_outcomes_table_names_every_outcome_in_order() -> None:
    """Each outcome of a time has one row that says when."""
    rows = read_table("schedules.md", "outcome")
    assert [row["outcome"] for row in rows] == list(FireOutcome)
    assert all(row["when"] for row in rows)


def test_policies_and_bounds_of_schedules() -> None:
    """Every policy is named; grace, counts and what is kept are those of the code."""
    page = read_page("schedules.md")
    rows = read_table("schedules.md", "how late")
    assert {row["missed"].partition(" ")[0] for row in rows} == {"any", *MissedPolicy}
    assert all(f"`overlap: {policy}`" in page for policy in OverlapPolicy)
    assert f"`grace_s` ({DEFAULT_GRACE_S} s, at most {MAX_GRACE_S // 86_400} days)" in page
    assert f"A team may have {MAX_SCHEDULES} schedules" in page
    assert f"from {MOST_COUNTED:,} on, it says {MOST_COUNTED:,}" in page
    assert f"the last {schedules.KEPT:,}" in page
    assert "for a year, its history" in page
    assert schedules.KEPT_DELETED_S == 365 * 86_400
    assert f"({Settings.from_env({}).steward_interval_s:g} s)" in page


def test_verdicts_table_is_that_of_the_code() -> None:
    """Each verdict has one row with the side that it speaks for."""
    rows = read_table("alerts.md", "verdict")
    assert {row["verdict"]: row["speaks for"] for row in rows} == SPEAKS_FOR
    assert [row["verdict"] for row in rows] == list(GateOutcome)


def test_states_events_and_bounds_of_alerts() -> None:
    """Every state and event is named; bounds are those of the code."""
    page = read_page("alerts.md")
    assert all(f"`{name}`" in page for name in (*AlertState, *AlertEvent))
    assert "For `quiet_s` (an hour)" in page
    assert DEFAULT_QUIET_S == 3_600
    assert f"A team may have {MAX_ALERTS} alerts" in page
    assert "ten at most" in page
    assert "the first ten checks" in page
    assert (MAX_TOLD, MAX_NAMED) == (10, 10)
    assert f"the last {alerts.KEPT:,}" in page
