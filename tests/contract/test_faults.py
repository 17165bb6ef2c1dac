"""The list of faults: each is there once, and what is said to show it exists and claims it."""

import ast
import re
from pathlib import Path

from tests.contract.test_docs import read_table, split_list

TESTS = Path(__file__).parents[1]
FAULTS = [f"F{number}" for number in range(1, 59)]
CLAIM = re.compile(r"\bF\d+\b")


def claims(path: Path) -> dict[str, set[str]]:
    """Return the faults that each test of a file claims, in its name or docstring."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[:5] == "test_":
            words = f"{ast.get_docstring(node)} {node.name.replace('_f', ' F').replace('_', ' ')}"
            found[node.name] = {*CLAIM.findall(words)}
    return found


def shown() -> dict[str, set[str]]:
    """Return the tests that the documentation names, by fault."""
    return {
        row["fault"]: {*split_list(row["shown by"])} for row in read_table("faults.md", "fault")
    }


def test_every_fault_has_a_row() -> None:
    """F1 to F58, in order, each with what is done, what must come of it, and a test."""
    rows = read_table("faults.md", "fault")
    assert [row["fault"] for row in rows] == FAULTS
    assert all(cell for row in rows for cell in row.values())


def test_named_tests_exist() -> None:
    """What a row names is a test that is there."""
    named = {test for tests in shown().values() for test in tests}
    there = {
        f"{path.relative_to(TESTS)}::{test}"
        for path in {TESTS / name.partition("::")[0] for name in named}
        for test in claims(path)
    }
    assert named - there == set()


def test_claims_are_listed() -> None:
    """A fault test that claims a fault stands in its row."""
    listed = shown()
    missing = [
        (fault, f"faults/{path.name}::{test}")
        for path in sorted((TESTS / "faults").glob("test_*.py"))
        for test, faults in claims(path).items()
        for fault in sorted(faults)
        if f"faults/{path.name}::{test}" not in listed[fault]
    ]
    assert missing == []
