"""The commands of an argument parser as Markdown: a section each, with words and example."""

import argparse
from collections.abc import Iterator


def describe(parser: argparse.ArgumentParser, level: int = 2) -> str:
    """Write a section for each command, those of a command below it, as its help orders them."""
    return "\n".join(_sections(parser, level))


def _sections(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    for command in _commands(parser):
        yield from _section(command, level)
        yield from _sections(command, level + 1)


def _commands(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    chosen = [
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return [command for action in chosen for command in action.choices.values()]


def _section(command: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield from ("#" * level + f" {command.prog}", "", command.description or "", "")
    usage = command.format_usage().removeprefix("usage: ").strip()
    yield from ("```text", usage, "```", "")
    rows = [row for action in command._actions for row in _row(command, action)]
    if rows:
        yield from ("| word | says |", "|---|---|", *rows, "")
    if command.epilog:
        yield from ("```text", command.epilog.strip(), "```", "")


def _row(command: argparse.ArgumentParser, action: argparse.Action) -> Iterator[str]:
    """Yield the row of an argument or option; none for what every command has."""
    shared = {"help", "url", "profile", "api_key", "json"}
    if action.dest in shared or isinstance(action, argparse._SubParsersAction):
        return
    says = (action.help or "") % {**vars(action), "prog": command.prog}
    yield f"| `{_word(action)}` | {_escape(says)} |"


def _word(action: argparse.Action) -> str:
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    value = action.metavar or choices or action.dest
    named = " ".join(value) if isinstance(value, tuple) else value
    if not action.option_strings:
        return named
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {named}")


def _escape(text: str) -> str:
    """Keep what has a meaning in a Markdown table a text."""
    return "".join(f"\\{letter}" if letter in "|<>*_[]{}\\" else letter for letter in text)
