"""The words of the commands that write test sets as files. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.exports import DEFAULT_INDEX, ExportFormat

EXPORT_SET_EXAMPLE: Final = """\
examples:
  reteval export-set docs > docs.jsonl
  reteval export-set docs --format beir --output docs.zip
  reteval export-set docs --format rank_eval --index docs-v2 --output requests.json
"""


def add_test_sets(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    about = "write a test set as a file of ours or of another tool, and say what is lost in it"
    parser = add_command(commands, "export-set", about, EXPORT_SET_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    parser.add_argument(
        "--format",
        choices=tuple(ExportFormat),
        default=ExportFormat.JSONL,
        help="default: jsonl, which can be uploaded again",
    )
    parser.add_argument(
        "--index", metavar="NAME", help=f"of rank_eval: where documents are; {DEFAULT_INDEX}"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="a zip needs it")
