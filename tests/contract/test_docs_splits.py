"""The tables of slices and macro means name exactly what the code knows."""

from reteval.contract.slices import SLICES
from reteval.contract.splits import LOOKS_TOLD_FROM, LOOKS_WORN_FROM
from reteval.contract.suites import MACRO, MAX_SUITE_SETS, MAX_SUITES
from tests.contract.test_docs import DOCS, read_table


def test_slices_table_has_every_rule() -> None:
    """Each kind of slice has one row with its rule, in order."""
    rows = [(row["slice"], row["its queries"]) for row in read_table("splits.md", "slice")]
    assert rows == [*SLICES.items()]


def test_macro_table_has_every_rule() -> None:
    """Each figure has one row with its rule."""
    rows = {row["figure"]: row["rule"] for row in read_table("suites.md", "figure")}
    assert rows == MACRO


def test_bounds_are_those_of_the_code() -> None:
    """Thresholds and bounds in the text are the ones in force."""
    splits, suites = [(DOCS / name).read_text() for name in ("splits.md", "suites.md")]
    assert f"told from {LOOKS_TOLD_FROM} looks on and warns from {LOOKS_WORN_FROM} on" in splits
    assert f"Up to {MAX_SUITE_SETS} sets" in suites
    assert f"a team has up to {MAX_SUITES}" in suites
