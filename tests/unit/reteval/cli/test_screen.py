"""What reaches a terminal, and what a file or a pipe."""

import io

import pytest

from reteval.cli.screen import Screen, colour, wants_colours
from tests.unit.reteval.cli.places import Terminal

HOSTILE = "query \x1b]0;owned\x07\r\x9b2J\u202egnp.exe\n\tend\n"


@pytest.mark.parametrize(
    ("environ", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_wants_colours(environ: dict[str, str], terminal: bool, expected: bool) -> None:  # noqa: FBT001 - a table
    """Colours are for terminals, unless a variable says otherwise; an empty one says nothing."""
    assert wants_colours(environ, terminal=terminal) is expected


def test_text_of_others_cannot_steer_a_terminal() -> None:
    """Escapes, carriage returns and marks of direction are shown as what they are."""
    stream = Terminal()
    Screen(stream, {}).write(HOSTILE)
    assert stream.getvalue() == ("query \\x1b]0;owned\\x07\\r\\x9b2J\\u202egnp.exe\n\tend\n")


def test_pipe_gets_the_text_as_it_is() -> None:
    """What a program reads is not changed."""
    stream = io.StringIO()
    Screen(stream, {}).write(f"error: {HOSTILE}")
    assert stream.getvalue() == f"error: {HOSTILE}"


def test_words_that_say_how_it_is_are_coloured() -> None:
    """Verdicts and severities, where they stand for themselves; never words of a query."""
    good, bad, doubt, note = (f"\x1b[{code}m" for code in ("36", "1;31", "33", "2"))
    text = (
        "better (mrr): up\nmrr  0.1  worse\n[warn] few\n[info] x\nnext: reteval\n"
        "worse still? no\nworse (mrr): x"
    )
    end = "\x1b[0m"
    assert colour(text).splitlines() == [
        f"{good}better{end} (mrr): up",
        f"mrr  0.1  {bad}worse{end}",
        f"{doubt}[warn]{end} few",
        f"{note}[info]{end} x",
        f"{note}next:{end} reteval",
        "worse still? no",
        f"{bad}worse{end} (mrr): x",
    ]
    assert colour("the query was better before") == "the query was better before"
