"""The words of the commands about parts and groups of test sets. Parses; does nothing."""

import argparse
from typing import Final

from reteval.cli.run_words import add_run_options
from reteval.cli.words import Commands, add_command

SPLIT_EXAMPLE: Final = """\
example:
  reteval split docs --holdout 0.3 --seed 7 --by source,length
"""
SUITE_EXAMPLE: Final = """\
examples:
  reteval suite create search docs faq 'tickets'
  reteval suite run search https://search.example/query --label hybrid-k60 --wait
  reteval suite results srn_0123456789abcdef
  reteval suite cancel srn_0123456789abcdef
  reteval suite list
  reteval suite remove search
"""


def add_suites(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands `split` and `suite`."""
    about = "divide a test set into a part to tune on and a part to confirm with"
    split = add_command(commands, "split", about, SPLIT_EXAMPLE)
    split.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    split.add_argument(
        "--holdout", type=float, metavar="X", default=0.3, help="share held out; default 0.3"
    )
    split.add_argument("--seed", type=int, metavar="N", default=0, help="of the draw; default 0")
    split.add_argument("--by", metavar="A,B", help="evenly by source, length, relevant, tag:NAME")
    parser = add_command(commands, "suite", "run several test sets as one", SUITE_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = add_command(actions, "create", "join test sets", SUITE_EXAMPLE)
    create.add_argument("suite", metavar="NAME", help="name of the suite")
    create.add_argument("test_sets", metavar="TEST_SET", nargs="+", help="id or name")
    create.add_argument("--weights", metavar="1,2,1", help="in the macro mean; default: all alike")
    add_command(actions, "list", "list suites", SUITE_EXAMPLE)
    run = add_command(actions, "run", "start a run over each set", SUITE_EXAMPLE)
    for action in (run, add_command(actions, "remove", "delete a suite", SUITE_EXAMPLE)):
        action.add_argument("suite", metavar="SUITE", help="id or name")
    add_run_options(run)
    run.set_defaults(profiled=("endpoint", "metrics"))
    for name, about in (
        ("results", "print what a run over a suite has brought"),
        ("cancel", "cancel all runs of it"),
    ):
        action = add_command(actions, name, about, SUITE_EXAMPLE)
        action.add_argument("suite_run", metavar="SUITE_RUN", help="id of the suite's run")
