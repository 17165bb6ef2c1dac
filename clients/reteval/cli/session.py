"""One invocation of the command line, and what it tells the shell at its end."""

import argparse
import shlex
from collections.abc import Callable
from enum import IntEnum

import msgspec
from msgspec import Struct

from reteval.cli.place import Place, Setting
from reteval.cli.profiles import Profile
from reteval.cli.screen import Screen
from reteval.client import Client


class Exit(IntEnum):
    """What the shell is told."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    RUN_FAILED = 3
    INTERRUPTED = 130


Connect = Callable[[str | None, str | None], Client]


class Session(Struct, frozen=True, kw_only=True):
    """One invocation: its options, the service, and where to write.

    `words` is the command line itself, for hints that repeat it.
    """

    options: argparse.Namespace
    words: tuple[str, ...]
    client: Client
    connect: Connect
    profile: Profile
    settings: tuple[Setting, ...]
    place: Place
    stdout: Screen
    stderr: Screen

    def print(self, text: str) -> None:
        """Write to standard output."""
        self.stdout.write(text)

    def print_json(self, document: object) -> None:
        """Write one JSON document, on one line."""
        self.print(msgspec.json.encode(document).decode() + "\n")

    def hint(self, *words: str) -> None:
        """Say which command comes next, as it can be copied; nothing beside a JSON document."""
        options = self.options
        chosen = {"--profile": options.profile, "--url": options.url}
        given = [word for name, value in chosen.items() if value for word in (name, value)]
        self.hint_line(["reteval", *given, *words])

    def hint_line(self, line: list[str]) -> None:
        """Say which command line comes next; a key that was given as a word is not repeated."""
        if not self.options.json:
            also = " (with the same --api-key)" if self.options.api_key else ""
            self.stderr.write(f"next{also}: {shlex.join(line)}\n")
