"""The words of the commands about schedules and alerts. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.run_words import add_run_request
from reteval.cli.words import Commands, add_command
from reteval.contract.schedules import DEFAULT_GRACE_S, DEFAULT_TIMES, MissedPolicy, OverlapPolicy

SCHEDULE_EXAMPLE: Final = """\
examples:
  reteval schedule times '0 3 * * MON-FRI' --zone Europe/Lisbon
  reteval schedule create nightly '0 3 * * MON-FRI' docs https://search.example/query \\
      --zone Europe/Lisbon --label nightly --missed run_once
  reteval schedule list
  reteval schedule show sch_0123456789abcdef
  reteval schedule log sch_0123456789abcdef
  reteval schedule start sch_0123456789abcdef
  reteval schedule pause sch_0123456789abcdef
  reteval schedule resume sch_0123456789abcdef
  reteval schedule remove sch_0123456789abcdef
"""
ALERT_EXAMPLE: Final = """\
examples:
  reteval alert create alert.yaml
  reteval alert list
  reteval alert show al_0123456789abcdef
  reteval alert log al_0123456789abcdef
  reteval alert off al_0123456789abcdef
  reteval alert on al_0123456789abcdef
  reteval alert remove al_0123456789abcdef
"""


def add_schedules(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands `schedule` and `alert` with their actions."""
    about = "let runs start by themselves, again and again"
    parser = add_command(commands, "schedule", about, SCHEDULE_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_create(actions)
    add_command(actions, "list", "list schedules and when they are due", SCHEDULE_EXAMPLE)
    for name, about in (
        ("show", "print a schedule"),
        ("pause", "let it be due no more"),
        ("resume", "let it be due again, from now on"),
        ("remove", "delete it; its runs and its log stay"),
        ("start", "start its run now"),
        ("log", "print what became of its times"),
    ):
        action = add_command(actions, name, about, SCHEDULE_EXAMPLE)
        action.add_argument("schedule", metavar="SCHEDULE", help="id of the schedule")
    times = add_command(actions, "times", "print when an expression is due", SCHEDULE_EXAMPLE)
    _add_cron(times)
    times.add_argument(
        "--count", type=int, metavar="N", help=f"how many times; default {DEFAULT_TIMES}"
    )
    _add_alert(commands)


def _add_create(actions: "Commands[argparse.ArgumentParser]") -> None:
    create = add_command(actions, "create", "make a schedule", SCHEDULE_EXAMPLE)
    create.add_argument("name", metavar="NAME", help="what you call it")
    _add_cron(create)
    create.add_argument(
        "test_set", metavar="TEST_SET", nargs="?", help="id, or name (its newest version)"
    )
    create.add_argument(
        "--missed", choices=tuple(MissedPolicy), help="when nobody was there; default: skip"
    )
    create.add_argument(
        "--grace",
        type=int,
        metavar="S",
        help=f"seconds by which it may be late; default {DEFAULT_GRACE_S}",
    )
    create.add_argument(
        "--overlap",
        choices=tuple(OverlapPolicy),
        help="when the last run has not ended; default: skip",
    )
    add_run_request(create)
    create.set_defaults(profiled=("test_set", "endpoint", "metrics"))


def _add_cron(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cron", metavar="CRON", help="minute, hour, day, month, weekday; quoted")
    parser.add_argument("--zone", metavar="ZONE", help="such as Europe/Lisbon; default: UTC")


def _add_alert(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "hold ended runs to a gate, and tell webhooks when that changes"
    parser = add_command(commands, "alert", about, ALERT_EXAMPLE)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = add_command(actions, "create", "make an alert", ALERT_EXAMPLE)
    create.add_argument("file", metavar="FILE", type=Path, help="the alert, YAML or JSON")
    add_command(actions, "list", "list alerts and their state", ALERT_EXAMPLE)
    for name, about in (
        ("show", "print an alert"),
        ("on", "switch it on; it knows nothing yet"),
        ("off", "switch it off"),
        ("remove", "delete it with what it found"),
        ("log", "print what it found of each run"),
    ):
        action = add_command(actions, name, about, ALERT_EXAMPLE)
        action.add_argument("alert", metavar="ALERT", help="id of the alert")
