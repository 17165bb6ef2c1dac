"""Columns of text. Knows nothing of what stands in them."""

from collections.abc import Container, Sequence
from typing import Final

NOTHING: Final = "-"


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, prose: Container[str] = ()
) -> list[str]:
    """Align cells: the first column and those named in `prose` left, the others right.

    A column without any content is left out.
    """
    columns = list(zip(head, *rows, strict=True))
    kept = [column for column in columns if any(column[1:]) or column is columns[0]]
    aligned = [_align(column, left=column is columns[0] or column[0] in prose) for column in kept]
    return ["  ".join(cells).rstrip() for cells in zip(*aligned, strict=True)]


def number(value: float | None, digits: int = 3) -> str:
    """Round for reading."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def interval(ends: tuple[float, float] | None, level: float | None = None) -> str:
    """Show an interval, with its level where that is told."""
    if ends is None:
        return NOTHING
    shown = f"{number(ends[0])} .. {number(ends[1])}"
    return shown if level is None else f"{shown} ({100 * level:g} %)"


def _align(column: Sequence[str], *, left: bool) -> list[str]:
    width = max(map(len, column))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in column]
