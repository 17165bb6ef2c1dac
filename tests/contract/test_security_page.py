import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_security_page_names_tests_that_are_there() -> None:
    """Every threat names where it is tested, and every place it names exists."""
    page = (ROOT / "SECURITY.md").read_text()
    rows = [row for row in page.splitlines() if row.startswith("| **")]
    assert len(rows) > 8
    for row in rows:
        places = re.findall(r"`(tests/[\w/.]+)`", row)
        assert places or "`make fuzz`" in row, row
        assert all((ROOT / place).exists() for place in places), row
