"""The words of the command `judging`. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.votes import Consensus

JUDGING_EXAMPLE: Final = """\
examples:
  reteval judging create docs --endpoint-url https://search.example/query --depth 10
  reteval judging pool jdg_0123456789abcdef --wait
  reteval judging try jdg_0123456789abcdef judge.json
  reteval judging scorecard jdg_0123456789abcdef judge.json
  reteval judging estimate jdg_0123456789abcdef judge.json
  reteval judging judge jdg_0123456789abcdef judge.json --wait
  reteval judging review jdg_0123456789abcdef > review.csv
  reteval judging vote jdg_0123456789abcdef review.csv --rater ada
  reteval judging measure jdg_0123456789abcdef
  reteval judging freeze jdg_0123456789abcdef --consensus median
  reteval judging list
  reteval judging show jdg_0123456789abcdef
  reteval judging cancel jdg_0123456789abcdef
  reteval judging remove jdg_0123456789abcdef

judge.json describes the model: {"model": {"base_url": "…", "name": "…"}, "prompt": "graded"};
its key is taken from the environment's RETEVAL_JUDGE_KEY, where the file has none.
"""


def add_judging(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the command `judging` with its actions."""
    about = "make a test set: pool what endpoints return, have it judged, review, freeze"
    parser = add_command(commands, "judging", about, JUDGING_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_create(actions)
    add_command(actions, "list", "list judgings and how far they are", JUDGING_EXAMPLE)
    _add_action(actions, "show", "print how far a judging is")
    _add_waiting(_add_action(actions, "pool", "search for all queries, and pool the results"))
    for name, about in (
        ("try", "put one pair to a judge and show what it says"),
        ("estimate", "print what a judge would come to, without asking it"),
        ("scorecard", "tempt a judge with probes made of the pool"),
        ("judge", "have the pool judged, or go on with that"),
    ):
        action = _add_action(actions, name, about)
        action.add_argument("judge", metavar="FILE", type=Path, help="JSON that describes it")
        if name == "judge":
            _add_waiting(action)
    review = _add_action(actions, "review", "print as CSV what people are to look at")
    review.add_argument("--output", metavar="FILE", type=Path, help="write it there")
    review.add_argument(
        "--audit",
        choices=("pairs", "queries"),
        default="",
        help="queries: every pair of queries drawn at random, to put metrics right",
    )
    vote = _add_action(actions, "vote", "send that CSV back with grades filled in")
    vote.add_argument("table", metavar="FILE", type=Path, help="the CSV")
    vote.add_argument("--rater", default="", help="who filled it in")
    _add_action(actions, "measure", "print how far the last judge and people agree")
    freeze = _add_action(actions, "freeze", "make a test set of it, for good")
    freeze.add_argument("--consensus", choices=tuple(Consensus), help="default: human_last")
    freeze.add_argument("--name", help="of the set; default: that of the queries")
    freeze.add_argument(
        "--allow-unjudged", action="store_true", help="although pairs have no grade"
    )
    _add_action(actions, "cancel", "stop the job that is at work on it")
    _add_action(actions, "remove", "delete it with its votes; the set it became stays")


def _add_create(actions: "Commands[argparse.ArgumentParser]") -> None:
    create = add_command(actions, "create", "make a judging; nothing is sent yet", JUDGING_EXAMPLE)
    create.add_argument("test_set", metavar="TEST_SET", help="its queries: id, or name")
    create.add_argument(
        "--endpoint-url", action="append", default=[], metavar="URL", help="pooled; repeatable"
    )
    create.add_argument(
        "--saved", action="append", default=[], metavar="NAME", help="saved endpoint; repeatable"
    )
    create.add_argument(
        "--run", action="append", default=[], metavar="RUN", help="whose results; repeatable"
    )
    create.add_argument("--depth", type=int, metavar="N", help="documents of each; default 20")
    create.add_argument("--random", type=int, metavar="N", help="of other queries, for each query")
    create.add_argument("--name", help="what it is called")


def _add_action(
    actions: "Commands[argparse.ArgumentParser]", name: str, about: str
) -> argparse.ArgumentParser:
    parser = add_command(actions, name, about, JUDGING_EXAMPLE)
    parser.add_argument("judging", metavar="JUDGING", help="id of the judging")
    return parser


def _add_waiting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wait", action="store_true", help="wait for its end")
    parser.add_argument(
        "--timeout", dest="wait_at_most", type=float, metavar="S", help="seconds to wait at most"
    )
