"""The words of the commands that keep: pins, backups, what is stored. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command

PIN_EXAMPLE: Final = """\
example:
  reteval pin run_0123456789abcdef
"""
UNPIN_EXAMPLE: Final = """\
example:
  reteval unpin run_0123456789abcdef
"""
USAGE_EXAMPLE: Final = """\
example:
  reteval usage
"""
BACKUP_EXAMPLE: Final = """\
examples:
  reteval backup baseline.backup --run run_0123456789abcdef
  reteval backup everything.backup --all
"""
RESTORE_EXAMPLE: Final = """\
example:
  reteval restore everything.backup
"""


def add_keeping(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    pin = add_command(commands, "pin", "keep a run from expiring", PIN_EXAMPLE)
    unpin = add_command(commands, "unpin", "let a run expire", UNPIN_EXAMPLE)
    for parser in (pin, unpin):
        parser.add_argument("run", metavar="RUN", help="id of the run")
    about = "print what is kept, for how long, and what is left"
    add_command(commands, "usage", about, USAGE_EXAMPLE)
    about = "save runs and judgings with their test sets, and test sets in one file"
    backup = add_command(commands, "backup", about, BACKUP_EXAMPLE)
    backup.add_argument("file", metavar="FILE", type=Path, help="to write")
    backup.add_argument("--run", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--test-set", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--judging", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--all", action="store_true", help="all sets, ended runs and judgings")
    about = "bring back what a backup holds and the service does not have"
    restore = add_command(commands, "restore", about, RESTORE_EXAMPLE)
    restore.add_argument("file", metavar="FILE", type=Path, help="made by `reteval backup`")
