"""The words of the commands about versions of test sets. Parses; does nothing."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.testsets import JudgmentSource

VERSION_EXAMPLE: Final = """\
examples:
  reteval version docs changes.json
  reteval version docs labelled.csv --rater anna --source human --note 'second page'
"""
VERSIONS_EXAMPLE: Final = """\
example:
  reteval versions docs
"""
DIFF_EXAMPLE: Final = """\
examples:
  reteval diff docs
  reteval diff ts_fedcba9876543210 ts_0123456789abcdef --rows
"""


def add_versions(commands: "Commands[ArgumentParser]") -> None:
    """Add the commands `version`, `versions` and `diff`."""
    about = "change a test set into a new version, by a JSON change set or a CSV of ratings"
    version = add_command(commands, "version", about, VERSION_EXAMPLE)
    version.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    version.add_argument("file", metavar="FILE", type=Path, help="JSON, or CSV of ratings")
    group = version.add_argument_group("what a CSV file does not say")
    group.add_argument("--note", help="why it was changed")
    group.add_argument("--rater", metavar="NAME", help="who judged")
    group.add_argument("--at", metavar="TIME", help="when, as 2026-01-31T12:00:00Z")
    group.add_argument("--source", choices=tuple(JudgmentSource), help="whose word it is")
    about = "print the versions of a test set's name: who made each, from what, what it changed"
    versions = add_command(commands, "versions", about, VERSIONS_EXAMPLE)
    versions.add_argument("test_set", metavar="TEST_SET", help="id or name")
    about = "print how a test set differs from another one"
    diff = add_command(commands, "diff", about, DIFF_EXAMPLE)
    diff.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    diff.add_argument(
        "against", metavar="AGAINST", nargs="?", help="default: what it was made from"
    )
    diff.add_argument("--rows", action="store_true", help="also each query and judgment")
