"""The words of the command of pipelines. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.run_words import add_run_request
from reteval.cli.words import Commands, add_command

EXAMPLE: Final = """\
examples:
  reteval ci --gate gate.yaml --test-set docs https://search.example/query
  reteval ci --gate gate.yaml --test-set docs --upload queries.csv \\
      --baseline-branch main --junit reteval.xml https://search.example/query

exit codes: 0 pass, 1 fail, 2 usage, 3 run failed or no verdict, 4 blocked, 5 inconclusive
"""


def add_ci(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `ci`."""
    about = "run a test set in a pipeline, hold the run to a gate, and tell the verdict everywhere"
    parser = add_command(commands, "ci", about, EXAMPLE)
    parser.add_argument("--gate", type=Path, required=True, metavar="FILE", help="YAML or JSON")
    parser.add_argument("--test-set", default="", metavar="TEST_SET", help="id, or name")
    parser.add_argument(
        "--upload",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="what the test set is made of, in any format; repeatable",
    )
    parser.add_argument(
        "--wait-at-most", type=float, metavar="S", help="seconds until there must be a verdict"
    )
    _add_baselines(parser)
    _add_outlets(parser)
    add_run_request(parser)
    parser.set_defaults(profiled=("endpoint", "metrics"))


def _add_baselines(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what it is compared with, if not what the gate says")
    group.add_argument("--baseline", default="", metavar="RUN", help="id of a run")
    group.add_argument(
        "--baseline-label", default="", metavar="LABEL", help="newest completed run with it"
    )
    group.add_argument(
        "--baseline-branch", default="", metavar="BRANCH", help="newest completed run of it"
    )
    group.add_argument(
        "--require-conclusive",
        action="store_true",
        help="decide by intervals only, whatever the gate says",
    )


def _add_outlets(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the verdict goes, besides the log")
    group.add_argument("--junit", type=Path, metavar="FILE", help="write it as JUnit XML")
    group.add_argument(
        "--junit-queries", type=int, default=0, metavar="N", help="with so many worst queries"
    )
    group.add_argument(
        "--summary", type=Path, metavar="FILE", help="add it as Markdown, as to a job summary"
    )
    group.add_argument(
        "--comment",
        choices=("auto", "never"),
        default="auto",
        help="on the pull request, where there is one and a token",
    )
    group.add_argument(
        "--comment-key", default="", metavar="TEXT", help="tells jobs of a matrix apart"
    )
