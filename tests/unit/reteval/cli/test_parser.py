import re
import shlex

import pytest

from reteval.cli import ci_words, parser, test_set_words
from reteval.cli.parser import build_parser
from reteval.cli.run_words import PRESETS
from reteval.contract.kinds import PRESETS as KNOWN_PRESETS


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["upload"],
        ["run"],
        ["wait"],
        ["results"],
        ["rescore"],
        ["retry"],
        ["compare"],
        ["gate"],
        ["ci"],
        ["power"],
        ["probe"],
        ["pin"],
        ["unpin"],
        ["usage"],
        ["backup"],
        ["restore"],
        ["webhooks"],
        ["build"],
        ["export-set"],
    ],
)
def test_help_ends_with_an_example(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every help page shows how the command looks when it is used."""
    with pytest.raises(SystemExit) as caught:
        build_parser().parse_args([*argv, "--help"])
    assert 0 == caught.value.code
    shown = capsys.readouterr().out
    assert re.search(r"\nexamples?:\n  reteval " + " ".join(argv), shown)


def examples() -> list[str]:
    """List the command lines of all help pages."""
    text = "".join(
        value
        for module in (ci_words, parser, test_set_words)
        for name, value in vars(module).items()
        if name.isupper() and "EXAMPLE" in name
    )
    return re.findall(r"^  (reteval .*)$", (text + parser.EPILOG).replace("\\\n", ""), re.MULTILINE)


@pytest.mark.parametrize("line", examples())
def test_examples_can_be_parsed(line: str) -> None:
    """An example that is copied is understood."""
    words = shlex.split(re.split(" >>? ", line)[0])
    options = build_parser().parse_args(words[1:])
    assert line.split()[1] == options.command


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
