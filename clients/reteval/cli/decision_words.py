"""The words of the commands that decide: `compare`, `gate`, `power`. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.words import Commands, add_command

FORMATS: Final = ("text", "json", "junit", "markdown")
COMPARE_EXAMPLE: Final = """\
example:
  reteval compare run_0123456789abcdef run_fedcba9876543210 --primary ndcg@10 --margin 0.02
"""
GATE_EXAMPLE: Final = """\
examples:
  reteval gate gate.yaml --run run_fedcba9876543210 --baseline-label main
  reteval gate gate.yaml --run run_fedcba9876543210 --format junit --output gate.xml
"""
POWER_EXAMPLE: Final = """\
examples:
  reteval power --sigma 0.2 --delta 0.05 --n 50
  reteval power run_0123456789abcdef run_fedcba9876543210 --metric ndcg@10
"""


def add_decisions(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    _add_compare(commands)
    _add_gate(commands)
    _add_power(commands)


def _add_compare(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "compare two runs query by query: better, worse, no change, or can't tell"
    parser = add_command(commands, "compare", about, COMPARE_EXAMPLE)
    parser.add_argument("baseline", metavar="BASELINE", help="id of the run before")
    parser.add_argument("candidate", metavar="CANDIDATE", help="id of the run after")
    parser.add_argument("--primary", metavar="METRIC", help="whose verdict is the overall one")
    parser.add_argument("--metrics", metavar="A,B", help="default: all that both runs have")
    parser.add_argument("--margin", type=float, metavar="X", help="difference that is none")
    parser.add_argument("--alpha", type=float, metavar="X", help="default 0.05")
    parser.add_argument(
        "--intersection", action="store_true", help="compare the queries both test sets have"
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_gate(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "hold a run to a gate file; the exit code is the verdict"
    parser = add_command(commands, "gate", about, GATE_EXAMPLE)
    parser.add_argument("file", metavar="FILE", type=Path, help="the gate, YAML or JSON")
    parser.add_argument("--run", metavar="RUN", help="id of the run that is held to it")
    parser.add_argument("--comparison", metavar="ID", help="a comparison, in place of --run")
    parser.add_argument("--baseline", metavar="RUN", help="run that drops are measured from")
    parser.add_argument(
        "--baseline-label", metavar="LABEL", help="newest completed run with this label instead"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the verdict there")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_power(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "tell how many queries show a difference"
    parser = add_command(commands, "power", about, POWER_EXAMPLE)
    parser.add_argument("runs", metavar="RUN", nargs="*", help="two runs over one test set")
    parser.add_argument("--metric", help="of the runs; default ndcg@10 or mrr")
    parser.add_argument("--sigma", type=float, metavar="S", help="in place of the runs")
    parser.add_argument("--delta", type=float, metavar="X", help="difference to see; default 0.05")
    parser.add_argument("--n", type=int, metavar="N", help="queries; default those of the runs")
    parser.add_argument("--alpha", type=float, metavar="X", help="default 0.05")
    parser.add_argument("--power", type=float, metavar="X", help="default 0.8")
