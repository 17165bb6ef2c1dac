"""The words of the commands about keys and sharing. Parses; does nothing."""

import argparse
from typing import Final

from reteval.cli.words import Commands, add_command
from reteval.contract.api_keys import (
    DEFAULT_DAYS,
    DEFAULT_OVERLAP_HOURS,
    MAX_DAYS,
    Scope,
)
from reteval.contract.audit import AuditLog
from reteval.contract.grants import DEFAULT_LINK_DAYS, MAX_LINK_DAYS
from reteval.contract.quotas import TeamLimits

LIMITS: Final = TeamLimits.__struct_fields__
SCOPES: Final = ", ".join(Scope)

LIMITS_EXAMPLE: Final = """\
examples:
  reteval limits
  reteval limits --team search --set queries_per_day=5000000 --set concurrent_runs=32
  reteval limits --team search --clear
"""
TEAMS_EXAMPLE: Final = """\
examples:
  reteval teams create search --name 'Search team'
  reteval teams list
"""
KEYS_EXAMPLE: Final = """\
examples:
  reteval keys create ci --scopes runs:write,testsets:read,results:read --days 90
  reteval keys list
  reteval keys rotate key_0123456789abcdef --overlap-hours 24
  reteval keys revoke key_0123456789abcdef
"""
GRANT_EXAMPLE: Final = """\
examples:
  reteval grant create --label production --to dashboards
  reteval grant create --run run_0123456789abcdef --to '*'
  reteval grant list --received
  reteval grant delete gr_0123456789abcdef
"""
SHARE_EXAMPLE: Final = """\
examples:
  reteval share create run_0123456789abcdef --days 7
  reteval share list run_0123456789abcdef
  reteval share delete run_0123456789abcdef lnk_0123456789abcdef
"""
LATEST_EXAMPLE: Final = """\
example:
  reteval latest --test-set docs --label production --team search
"""
AUDIT_EXAMPLE: Final = """\
example:
  reteval audit --log access --limit 20
"""


def add_access(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add the commands."""
    _add_teams(commands)
    _add_keys(commands)
    _add_grant(commands)
    _add_share(commands)
    _add_latest(commands)
    _add_audit(commands)
    _add_limits(commands)


def _add_teams(commands: "Commands[argparse.ArgumentParser]") -> None:
    actions = _add_actions(commands, "teams", "make and list teams (for admins)", TEAMS_EXAMPLE)
    create = add_command(actions, "create", "make a team", TEAMS_EXAMPLE)
    create.add_argument("id", metavar="ID", help="small letters, digits and hyphens")
    create.add_argument("--name", help="what people call it; default: the id")
    add_command(actions, "list", "list all teams", TEAMS_EXAMPLE)


def _add_keys(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "make, list, rotate and revoke API keys"
    actions = _add_actions(commands, "keys", about, KEYS_EXAMPLE)
    create = add_command(actions, "create", "make a key; its secret is shown once", KEYS_EXAMPLE)
    create.add_argument("name", metavar="NAME", help="what it is for")
    create.add_argument("--scopes", required=True, metavar="A,B", help=f"of {SCOPES}")
    create.add_argument(
        "--days", type=int, metavar="N", help=f"it opens; {DEFAULT_DAYS}, at most {MAX_DAYS}"
    )
    create.add_argument("--team", help="for another team (for admins)")
    shown = add_command(actions, "list", "list keys, newest first", KEYS_EXAMPLE)
    shown.add_argument("--team", help="of another team (for admins)")
    rotate = add_command(
        actions, "rotate", "make a key like another one, which ends soon", KEYS_EXAMPLE
    )
    rotate.add_argument("key", metavar="KEY", help="id of the key")
    rotate.add_argument(
        "--overlap-hours",
        type=int,
        metavar="N",
        help=f"hours the old one still opens; {DEFAULT_OVERLAP_HOURS}",
    )
    revoke = add_command(actions, "revoke", "let a key open nothing any more", KEYS_EXAMPLE)
    revoke.add_argument("key", metavar="KEY", help="id of the key")


def _add_grant(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "let other teams read runs and test sets"
    actions = _add_actions(commands, "grant", about, GRANT_EXAMPLE)
    create = add_command(
        actions, "create", "let a team, or everyone, read something", GRANT_EXAMPLE
    )
    create.add_argument("--to", required=True, metavar="TEAM", help="id of a team, or *")
    subject = create.add_mutually_exclusive_group(required=True)
    subject.add_argument("--run", help="id of a run")
    subject.add_argument("--test-set", help="id of a test set, or name (its newest version)")
    subject.add_argument("--label", help="all runs that have it, later ones, too")
    shown = add_command(actions, "list", "list grants, oldest first", GRANT_EXAMPLE)
    shown.add_argument("--received", action="store_true", help="those of others to this team")
    delete = add_command(actions, "delete", "take a grant back", GRANT_EXAMPLE)
    delete.add_argument("grant", metavar="GRANT", help="id of the grant")


def _add_share(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "open one run to whoever has a link"
    actions = _add_actions(commands, "share", about, SHARE_EXAMPLE)
    create = add_command(actions, "create", "make a link; it is shown once", SHARE_EXAMPLE)
    create.add_argument("run", metavar="RUN", help="id of the run")
    create.add_argument(
        "--days",
        type=int,
        metavar="N",
        help=f"it opens; {DEFAULT_LINK_DAYS}, at most {MAX_LINK_DAYS}",
    )
    shown = add_command(actions, "list", "list the links that open a run", SHARE_EXAMPLE)
    shown.add_argument("run", metavar="RUN", help="id of the run")
    delete = add_command(actions, "delete", "close a link", SHARE_EXAMPLE)
    delete.add_argument("run", metavar="RUN", help="id of the run")
    delete.add_argument("link", metavar="LINK", help="id of the link")


def _add_latest(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "print the report of the newest completed run"
    parser = add_command(commands, "latest", about, LATEST_EXAMPLE)
    parser.add_argument("--test-set", help="id, or name for all its versions")
    parser.add_argument("--label", help="what the run tried")
    parser.add_argument("--team", help="whose run; default: this team's, else one it was granted")


def _add_audit(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = add_command(commands, "audit", "read the audit log (for admins)", AUDIT_EXAMPLE)
    parser.add_argument(
        "--log", choices=[*AuditLog], help="what was changed, or who was let in and refused"
    )
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="newest events; 50")


def _add_limits(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "print what may be used, what is used, and when it is new"
    parser = add_command(commands, "limits", about, LIMITS_EXAMPLE)
    parser.add_argument("--team", help="the limits that a team has of its own (for admins)")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="NAME=N",
        help=f"of {', '.join(LIMITS)}; the others become the deployment's; repeatable",
    )
    parser.add_argument(
        "--clear", action="store_true", help="the team has no limits of its own any more"
    )


def _add_actions(
    commands: "Commands[argparse.ArgumentParser]", name: str, about: str, example: str
) -> "Commands[argparse.ArgumentParser]":
    parser = add_command(commands, name, about, example)
    return parser.add_subparsers(dest="action", required=True, metavar="ACTION")
