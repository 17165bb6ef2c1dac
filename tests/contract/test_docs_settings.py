"""The settings page and the settings table say the same."""

from pathlib import Path

from service.settings import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_settings_page_equals_the_table() -> None:
    """Each setting has its row, in order, with the default and the words of the table."""
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split(" | ")]
        for line in PAGE.read_text().splitlines()
        if line.startswith("| `RETEVAL_")
    ]
    expected = [
        [
            f"`{row.variable}`",
            f"`{row.default}`" if row.default else "none",
            row.unit or "-",
            row.help,
        ]
        for row in TABLE
    ]
    assert expected == rows
