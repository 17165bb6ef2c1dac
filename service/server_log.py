"""What the embedded server wrote of itself: why it ended, or did not start."""

import re
from pathlib import Path
from typing import Final

_TAIL: Final = 15
_NEW_START: Final = "is starting oO0"
_STAMP: Final = re.compile(r"^\d+:\w .+?\.\d{3} . ")
_DAMAGE: Final = (
    "Bad file format reading",
    "Unrecoverable error reading",
    "AOF MANIFEST FILE ERROR",
    "Unable to obtain the AOF file",
    "Internal error in RDB",
    "Wrong RDB checksum",
)
"""What the server says of an append-only file that it cannot load."""


class ServerLog:
    """The log file of a server, from its last start on."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def tail(self) -> str:
        """The last lines."""
        text = self._path.read_text(errors="replace") if self._path.exists() else ""
        _, begun, said = text.rpartition(_NEW_START)
        lines = said.splitlines()[bool(begun) :]
        return "\n".join(lines[-_TAIL:]) or "it left no log"

    def last_words(self) -> str:
        """The last line without its stamp: of a server that ended, mostly why."""
        return _STAMP.sub("", self.tail().splitlines()[-1])

    def tells_damage(self) -> bool:
        """Whether the server refused its append-only file."""
        said = self.tail()
        return any(sign in said for sign in _DAMAGE)
