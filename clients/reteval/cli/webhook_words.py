"""The words of the commands about webhooks. Parses; does nothing."""

import argparse
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.webhooks import DEFAULT_GRACE_S, RunEvent

WEBHOOKS_EXAMPLE: Final = """\
examples:
  reteval webhooks add https://ci.example/hook --event run.failed --label main
  reteval webhooks list
  reteval webhooks ping wh_0123456789abcdef
  reteval webhooks off wh_0123456789abcdef
  reteval webhooks on wh_0123456789abcdef
  reteval webhooks rotate wh_0123456789abcdef --grace 3600
  reteval webhooks log wh_0123456789abcdef
  reteval webhooks replay wh_0123456789abcdef evt_0123456789abcdef
  reteval webhooks remove wh_0123456789abcdef
"""


def add_webhooks(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the command `webhooks` with its actions."""
    about = "tell a receiver of yours when runs end, and see what it was told"
    parser = add_command(commands, "webhooks", about, WEBHOOKS_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = add_command(actions, "add", "register a receiver; prints its secret", WEBHOOKS_EXAMPLE)
    add.add_argument("receiver", metavar="URL", help="where events are posted")
    add.add_argument(
        "--event",
        action="append",
        default=[],
        choices=tuple(RunEvent),
        help="one way to end; repeatable; default: all",
    )
    add.add_argument("--label", help="only runs with this label")
    add.add_argument("--test-set", help="only runs over it: id, or name (all its versions)")
    add_command(actions, "list", "list webhooks and how they are", WEBHOOKS_EXAMPLE)
    _add_action(actions, "on", "switch a webhook on; what has waited is delivered")
    _add_action(actions, "off", "switch a webhook off")
    _add_action(actions, "remove", "delete a webhook and its log")
    _add_action(actions, "ping", "send an event that is about nothing")
    _add_action(actions, "log", "print what was delivered and what waits")
    rotate = _add_action(actions, "rotate", "make a new secret and print it")
    rotate.add_argument(
        "--grace",
        type=int,
        metavar="S",
        default=DEFAULT_GRACE_S,
        help="seconds for which the old secret signs along; default: a day",
    )
    replay = _add_action(actions, "replay", "deliver an event again")
    replay.add_argument("event_id", metavar="EVENT", help="id of the event")


def _add_action(
    actions: "Commands[argparse.ArgumentParser]", name: str, about: str
) -> argparse.ArgumentParser:
    parser = add_command(actions, name, about, WEBHOOKS_EXAMPLE)
    parser.add_argument("webhook", metavar="WEBHOOK", help="id of the webhook")
    return parser
