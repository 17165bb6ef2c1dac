import argparse
import re
import shlex
from collections.abc import Iterator

import pytest

from reteval.cli.command import COMMANDS
from reteval.cli.parser import build_parser
from reteval.cli.run_words import PRESETS
from reteval.contract.kinds import PRESETS as KNOWN_PRESETS


def all_parsers(
    parser: argparse.ArgumentParser, *words: str
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Yield each parser of the command line with the words that lead to it."""
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from all_parsers(inner, *words, name)


PARSERS = dict(all_parsers(build_parser()))


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """List the command lines at the end of a help page."""
    text = (parser.epilog or "").replace("\\\n", "")
    return re.findall(r"^  (reteval .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_help_ends_with_an_example(words: tuple[str, ...]) -> None:
    """Every help page, of commands and of their actions, shows how it looks when it is used."""
    shown = PARSERS[words].format_help()
    examples = shown[shown.rindex("\nexample") :]
    assert "  reteval " + " ".join(words) in examples


@pytest.mark.parametrize(
    "line", sorted({line for parser in PARSERS.values() for line in examples_of(parser)})
)
def test_examples_can_be_parsed(line: str) -> None:
    """An example that is copied is understood."""
    words = shlex.split(re.split(" >>? ", line)[0])
    options = PARSERS[()].parse_args(words[1:])
    assert line.split()[1] == options.command


@pytest.mark.parametrize("words", [*PARSERS], ids=" ".join)
def test_every_command_takes_what_all_take(words: tuple[str, ...]) -> None:
    """`--json`, `--profile`, `--url` and `--api-key` may stand behind any command."""
    known = {option for action in PARSERS[words]._actions for option in action.option_strings}
    assert {"--json", "--profile", "--url", "--api-key"} <= known


def test_every_command_is_carried_out() -> None:
    """No command is only words."""
    assert {words[0] for words in PARSERS if words} == {*COMMANDS}


@pytest.mark.parametrize(
    "argv",
    [
        ["--url", "http://a", "--api-key", "k", "--json", "wait", "run_1"],
        ["wait", "--url", "http://a", "--api-key", "k", "--json", "run_1"],
        ["--url", "http://a", "wait", "run_1", "--json", "--api-key", "k"],
    ],
)
def test_global_options_before_and_after_the_command(argv: list[str]) -> None:
    """Where a global option stands makes no difference."""
    options = build_parser().parse_args(argv)
    assert ("http://a", "k", True) == (options.url, options.api_key, options.json)


def test_global_options_left_out() -> None:
    """Nothing given means that the environment decides."""
    options = build_parser().parse_args(["wait", "run_1"])
    assert (None, None, False) == (options.url, options.api_key, options.json)


def test_presets_are_those_of_the_contract() -> None:
    """The help names the presets that there are."""
    assert tuple(KNOWN_PRESETS) == PRESETS
