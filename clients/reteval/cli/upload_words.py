"""The words of uploads: files in any format, and how they are to be read."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.imports import Consensus, Negatives, OnError, QueryIds, Texts, Unlabelled

EXAMPLE: Final = """\
examples:
  reteval upload queries.ndjson --name docs
  reteval upload beir.zip --name beir --dry-run
  reteval upload cran.qry cranqrel --query-ids ordinal --reverse 1-4 --negatives keep --scale-max 4
  reteval upload sheet.csv --columns 'query:Query Text,docid:Doc ID,rating:Rating'
"""


def add_upload(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `upload`."""
    about = "upload a test set in any format: one file, several, or a zip"
    parser = add_command(commands, "upload", about, EXAMPLE)
    parser.add_argument("files", metavar="FILE", type=Path, nargs="*", help="told by content")
    parser.add_argument("--topics", type=Path, help="TREC topics, with --qrels instead of FILE")
    parser.add_argument("--qrels", type=Path, help="TREC judgments")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what it would become; store nothing"
    )
    _add_head(parser)
    _add_reading(parser)


def _add_head(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the test set")
    group.add_argument("--name", help="name of the test set")
    group.add_argument("--scale-max", type=int, metavar="N", help="highest grade; default 3")
    group.add_argument(
        "--relevant-from", type=int, metavar="N", help="least grade that is relevant; default 1"
    )
    group.add_argument("--language", help="language of the queries, such as en")
    group.add_argument("--id-rule", help="how document ids are compared")
    group.add_argument(
        "--allow-unscorable",
        action="store_true",
        default=None,
        help="accept queries that have no relevant document",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is not guessed of files of other tools")
    group.add_argument("--format", metavar="NAME", help="where content does not tell")
    group.add_argument("--columns", metavar="ROLE:COLUMN,…", help="of a table")
    group.add_argument("--grades", metavar="LABEL:GRADE,…", help="such as E:3,S:2,C:1,I:0")
    group.add_argument("--reverse", metavar="BEST-WORST", help="of a scale that runs backwards")
    group.add_argument("--negatives", choices=[*Negatives], help="what a negative grade means")
    group.add_argument("--consensus", choices=[*Consensus], help="where raters differ")
    group.add_argument("--models", metavar="A,B", help="raters who are no people")
    group.add_argument("--query-ids", choices=[*QueryIds], help="how judgments name queries")
    group.add_argument("--texts", choices=[*Texts], help="ids: there are no texts of queries")
    group.add_argument("--unlabelled", choices=[*Unlabelled], help="queries nobody judged")
    group.add_argument("--on-error", choices=[*OnError], help="rows that cannot be read")
    group.add_argument("--corpus", metavar="FILE", type=Path, help="checks judged ids against it")
