"""The words of the commands that help to begin: `init`, `doctor`, `open`, `completion`."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.run_words import add_endpoint_words
from reteval.cli.words import Commands, add_command

PROBE_S: Final = 60.0
SHELLS: Final = ("bash", "zsh", "fish")
STARTER: Final = "starter"
DEMO_ENDPOINT: Final = "http://127.0.0.1:9000/search"
"""Where the example of this project answers."""

INIT_EXAMPLE: Final = """\
examples:
  reteval init
  reteval init queries.csv --name docs --endpoint https://search.example/query
"""
DOCTOR_EXAMPLE: Final = """\
examples:
  reteval doctor
  reteval doctor docs https://search.example/query --json
"""
OPEN_EXAMPLE: Final = """\
examples:
  reteval open
  reteval open run_0123456789abcdef
  reteval open docs --print
"""
COMPLETION_EXAMPLE: Final = """\
examples:
  reteval completion bash > ~/.local/share/bash-completion/completions/reteval
  reteval completion zsh > ~/.zfunc/_reteval
  reteval completion fish > ~/.config/fish/completions/reteval.fish
"""


def add_starting(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    _add_init(commands)
    _add_doctor(commands)
    _add_open(commands)
    _add_completion(commands)


def _add_init(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "write reteval.toml, a gate, and a first test set to upload"
    parser = add_command(commands, "init", about, INIT_EXAMPLE)
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?",
        help="your queries, such as a CSV of query, docid, rating; default: a sample is written",
    )
    parser.add_argument("--name", help=f"name of the test set; default: the file's, or {STARTER}")
    parser.add_argument(
        "--endpoint", metavar="URL", help=f"your search; default: the demo's, {DEMO_ENDPOINT}"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing, take the defaults")
    parser.add_argument("--force", action="store_true", help="write over files that are there")


def _add_doctor(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "look for what usually goes wrong: service, key, test set, endpoint, ids"
    parser = add_command(commands, "doctor", about, DOCTOR_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", nargs="?", help="id or name")
    add_endpoint_words(parser)
    parser.add_argument(
        "--timeout",
        dest="wait_at_most",
        type=float,
        metavar="S",
        default=PROBE_S,
        help=f"seconds to wait for the endpoint; default {PROBE_S:g}",
    )
    parser.set_defaults(profiled=("test_set", "endpoint"))


def _add_open(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "open the page of a run, comparison, judging or test set in the browser"
    parser = add_command(commands, "open", about, OPEN_EXAMPLE)
    parser.add_argument(
        "what", metavar="ID", nargs="?", help="an id, or the name of a test set; default: all runs"
    )
    parser.add_argument("--print", action="store_true", help="print the address only")


def _add_completion(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "print a script that completes commands and options in a shell"
    parser = add_command(commands, "completion", about, COMPLETION_EXAMPLE)
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(offline=True)
