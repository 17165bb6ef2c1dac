"""Places where commands are started, without anything of the machine the tests run on."""

import io
from pathlib import Path
from typing import Any

import msgspec

from reteval.cli.place import Place

NOWHERE = Path("/nowhere")
NOW = 1_800_000_000.0


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def a_place(**changes: Any) -> Place:
    """Return a place without variables, files, a person or a browser."""
    place = Place(
        environ={},
        folder=NOWHERE,
        home=NOWHERE,
        stdin=io.StringIO(),
        now=lambda: NOW,
        browse=lambda _: False,
    )
    return msgspec.structs.replace(place, **changes)
