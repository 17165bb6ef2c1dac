"""One invocation of the command line, and what it tells the shell at its end."""

import argparse
from collections.abc import Callable
from enum import IntEnum
from typing import TextIO

import msgspec
from msgspec import Struct

from reteval.client import Client


class Exit(IntEnum):
    """What the shell is told."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    RUN_FAILED = 3
    INTERRUPTED = 130


class Session(Struct, frozen=True, kw_only=True):
    """One invocation: its options, the service, and where to write."""

    options: argparse.Namespace
    client: Client
    stdout: TextIO
    stderr: TextIO
    clock: Callable[[], float]

    def print(self, text: str) -> None:
        """Write to standard output."""
        self.stdout.write(text)

    def print_json(self, document: object) -> None:
        """Write one JSON document, on one line."""
        self.print(msgspec.json.encode(document).decode() + "\n")
