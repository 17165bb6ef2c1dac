"""The tables about limits say what the code does."""

from pathlib import Path

import msgspec

from reteval.contract.quotas import PER_ADDRESS, PER_KEY, QuotaName
from service.core.limits import CAPS
from service.settings import TABLE
from tests.contract.test_docs import read_table

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
DEFAULTS = {row.variable: row.default for row in TABLE}


def test_rates_table_has_the_defaults() -> None:
    """Each policy has its row with the setting that changes it."""
    rows = {row["policy"]: row for row in read_table("limits.md", "policy")}
    assert list(rows) == [PER_KEY, PER_ADDRESS]
    for row in rows.values():
        assert row["requests"] == DEFAULTS[row["setting"]]
        assert row["window"] == DEFAULTS["RETEVAL_RATE_WINDOW_S"]


def test_quotas_table_names_every_quota() -> None:
    """In the order of the enum, with its default, and midnight for those of a day only."""
    rows = read_table("limits.md", "quota")
    assert [row["quota"] for row in rows] == list(QuotaName)
    for row in rows:
        name = QuotaName(row["quota"])
        assert row["default"] == DEFAULTS[f"RETEVAL_QUOTA_{name.upper()}"]
        assert (row["new"] == "at midnight UTC") is name.daily
        assert (row["what is beyond it"] == "is refused") is (name is not QuotaName.CONCURRENT_RUNS)


def test_caps_table_has_the_bounds() -> None:
    """Each cap that is told has its row."""
    rows = {row["cap"]: int(row["value"]) for row in read_table("limits.md", "cap")}
    assert rows == msgspec.to_builtins(CAPS)


def test_example_shows_every_line_of_the_command() -> None:
    """The printed table has a line for the rate and one for each quota."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"\n{name.unit}" in page for name in QuotaName)
    assert "\nrequests in 60 s" in page
