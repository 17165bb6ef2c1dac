"""Where text for people is written: in colours and without control characters on a terminal."""

import re
from collections.abc import Mapping
from typing import Final, TextIO

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All but line feed and tab, and the marks that turn the direction of a line around."""
_GOOD, _BAD, _DOUBT, _NOTE = "36", "1;31", "33", "2"
_COLOURED: Final = tuple(
    (re.compile(pattern, re.MULTILINE), code)
    for pattern, code in (
        (r"^(?:ok\b|PASS\b|better(?= \())|\bbetter$", _GOOD),
        (r"^(?:problem|FAIL|BLOCKED|ERROR)\b|^(?:usage )?error:|^\[block\]", _BAD),
        (r"^worse(?= \()|\bworse$", _BAD),
        (r"^(?:\[warn\]|(?:warn|INCONCLUSIVE)\b|inconclusive(?= \())|\binconclusive$", _DOUBT),
        (r"^(?:\[info\]|next\b[^:\n]*:)", _NOTE),
    )
)
"""Words that say how something is; they say it without colours, too."""


class Screen:
    """A stream that somebody reads; what goes into a file or a pipe stays as it is."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self.stream = stream
        self._terminal = stream.isatty()
        self._coloured = wants_colours(environ, terminal=self._terminal)

    @property
    def terminal(self) -> bool:
        """Whether a person sits before it."""
        return self._terminal

    def write(self, text: str) -> None:
        """Write a text; on a terminal nothing in it can move the cursor or change the title."""
        if self._terminal:
            text = _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)
        self.stream.write(colour(text) if self._coloured else text)

    def flush(self) -> None:
        """See that all of it is out."""
        self.stream.flush()


def wants_colours(environ: Mapping[str, str], *, terminal: bool) -> bool:
    """Colour for terminals; `NO_COLOR` forbids it anywhere, `FORCE_COLOR` asks for it."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return terminal and environ.get("TERM") != "dumb"


def colour(text: str) -> str:
    """Colour the words that say how something is."""
    for pattern, code in _COLOURED:
        text = pattern.sub(f"\x1b[{code}m\\g<0>\x1b[0m", text)
    return text
