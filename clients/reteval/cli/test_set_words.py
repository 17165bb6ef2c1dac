"""The words of the commands that build test sets and write them as files. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.exports import DEFAULT_INDEX, ExportFormat
from reteval.contract.query_samples import DEFAULT_SAMPLE, SampleMethod

EXPORT_SET_EXAMPLE: Final = """\
examples:
  reteval export-set docs > docs.jsonl
  reteval export-set docs --format beir --output docs.zip
  reteval export-set docs --format rank_eval --index docs-v2 --output requests.json
"""
BUILD_EXAMPLE: Final = """\
examples:
  reteval build faq faq.csv --name faq
  reteval build logs searches.txt --size 200 --seed 7 --output drafts.jsonl
  reteval build logs ubi_queries.ndjson --method proportional --min-count 5 > drafts.jsonl
"""


def add_test_sets(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    _add_export_set(commands)
    _add_build(commands)


def _add_export_set(commands: "Commands[argparse.ArgumentParser]") -> None:
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


def _add_build(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "build a test set of questions and answers, or draw queries from a log"
    parser = add_command(commands, "build", about, BUILD_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    about = "make a test set of questions and the documents that answer them"
    faq = add_command(actions, "faq", about, BUILD_EXAMPLE)
    faq.add_argument(
        "file", metavar="FILE", type=Path, help="CSV or JSON lines: question, answer, document"
    )
    faq.add_argument("--name", help="name of the test set")
    faq.add_argument("--scale-max", type=int, metavar="N", help="the documents' grade; default 3")
    faq.add_argument(
        "--relevant-from", type=int, metavar="N", help="least grade that is relevant; default 1"
    )
    faq.add_argument("--language", help="language of the questions, such as en")
    faq.add_argument("--id-rule", help="how document ids are compared")
    about = "draw queries from a log, cleaned and without secrets, to be judged"
    logs = add_command(actions, "logs", about, BUILD_EXAMPLE)
    logs.add_argument(
        "file", metavar="FILE", type=Path, help="a query a line, CSV, or JSON lines (UBI)"
    )
    logs.add_argument("--size", type=int, metavar="N", help=f"to draw; default {DEFAULT_SAMPLE}")
    logs.add_argument("--seed", type=int, metavar="N", help="the same seed, the same sample")
    logs.add_argument("--method", choices=tuple(SampleMethod), help="default: head_torso_tail")
    logs.add_argument("--min-count", type=int, metavar="N", help="leave out what is asked less")
    logs.add_argument(
        "--once-per-user",
        action="store_true",
        default=None,
        help="count a query once for each user",
    )
    logs.add_argument("--output", metavar="FILE", type=Path, help="JSON lines, to be uploaded")
