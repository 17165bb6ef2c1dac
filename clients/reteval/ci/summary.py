"""The summary of a job: Markdown that is added to a file, which must not grow too large."""

from pathlib import Path
from typing import Final

MAX_BYTES: Final = 1024 * 1024
"""A larger file is not shown at all."""


def add_summary(path: Path, text: str, *, most: int = MAX_BYTES) -> None:
    """Add whole lines while the file stays below the limit.

    Raises:
        OSError: the file cannot be written.
    """
    room = most - (path.stat().st_size if path.exists() else 0)
    with path.open("ab") as file:
        for line in text.encode().splitlines(keepends=True):
            room -= len(line)
            if room <= 0:
                return
            file.write(line)
