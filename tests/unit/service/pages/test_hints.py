"""Commands on pages are commands of ours."""

import re
import shlex
from pathlib import Path

import pytest

from reteval.cli.parser import build_parser
from service.pages import rendering
from service.pages.hints import HINTS, hint


@pytest.mark.parametrize("name", HINTS)
def test_hint_can_be_run(name: str) -> None:
    """Every command that a page tells is understood by the command line as it stands."""
    words = shlex.split(re.sub(r"\{\w+\}", "run_0123456789abcdef", HINTS[name]))
    assert words[0] == "reteval"
    assert build_parser().parse_args(words[1:])


def test_hints_name_what_they_are_about() -> None:
    """Several commands are a line each, with ids in their places."""
    assert hint("pool", "freeze", judging="jdg_1").splitlines() == [
        "reteval judging pool jdg_1 --wait",
        "reteval judging freeze jdg_1",
    ]


def test_templates_take_their_commands_from_the_table() -> None:
    """No template spells a command of its own, which nothing would check."""
    templates = Path(rendering.__file__).parent / "templates"
    spelled = [
        (path.name, found)
        for path in templates.glob("*.html")
        for found in re.findall(r"\breteval [a-z]+ [^<>{}]*", path.read_text())
        if "keys create" not in found
    ]
    assert spelled == []
