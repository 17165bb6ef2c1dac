"""The summary of a job stays below its limit."""

from pathlib import Path

from reteval.ci.summary import MAX_BYTES, add_summary


def test_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    """What earlier commands of the step said stays."""
    path = tmp_path / "summary.md"
    add_summary(path, "a\n")
    add_summary(path, "b\n")
    assert path.read_text() == "a\nb\n"


def test_file_stays_below_the_limit_in_whole_lines(tmp_path: Path) -> None:
    """Bytes count, not characters, and no line is cut."""
    path = tmp_path / "summary.md"
    path.write_text("x" * 10)
    add_summary(path, "ää\nöö\nüü\n", most=20)
    assert path.read_text() == "x" * 10 + "ää\n"
    assert MAX_BYTES == 1_024 * 1_024
