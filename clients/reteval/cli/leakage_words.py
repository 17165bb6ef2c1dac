"""The words of the command `leakage`. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.leaks import LeakKind

LEAKAGE_EXAMPLE: Final = """\
examples:
  reteval leakage docs --against training-queries.txt
  reteval leakage docs --run run_0123456789abcdef
  reteval leakage docs --corpus documents.ndjson --pairs lifted
"""


def add_leakage(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the command `leakage`."""
    about = "find queries that are asked twice, that tuning has seen, or that are in a document"
    parser = add_command(commands, "leakage", about, LEAKAGE_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    against = parser.add_mutually_exclusive_group()
    against.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="queries used for tuning or training: a text a line, or JSON with `query` or `text`",
    )
    against.add_argument("--against-set", metavar="TEST_SET", help="another test set instead")
    parser.add_argument("--run", metavar="RUN", help="ended run, for its hits and its metrics")
    parser.add_argument(
        "--corpus", type=Path, metavar="FILE", help="JSON lines with `id` (or `_id`) and `text`"
    )
    parser.add_argument(
        "--pairs", choices=tuple(LeakKind), metavar="KIND", help="print all pairs of a kind, too"
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")
