"""The command about limits: the caller's own, and those of one team."""

from collections.abc import Sequence
from typing import Final

from reteval.cli.arguments import UsageError
from reteval.cli.session import Exit, Session
from reteval.cli.tables import NOTHING, table
from reteval.contract.quotas import Allowance, Quota, Rate, TeamLimits

_NAMES: Final = TeamLimits.__struct_fields__
_HEAD: Final = ("limit", "may", "used", "left", "new")


def limits(session: Session) -> int:
    """Print what may be used; with `--team`, read or set what a team has of its own."""
    options = session.options
    if options.team:
        return _team_limits(session)
    if options.changes or options.clear:
        raise UsageError("name the team whose limits these are: --team TEAM")
    found = session.client.limits()
    if options.json:
        session.print_json(found)
    else:
        session.print("\n".join(_lines(found)) + "\n")
    return Exit.DONE


def _team_limits(session: Session) -> int:
    options = session.options
    if options.changes or options.clear:
        own = session.client.set_team_limits(options.team, _read(options.changes))
    else:
        own = session.client.team_limits(options.team)
    if options.json:
        session.print_json(own)
        return Exit.DONE
    values = {name: getattr(own, name) for name in _NAMES}
    set_ones = [f"{name}={value}" for name, value in values.items() if isinstance(value, int)]
    session.print("\n".join(set_ones or ["all as the deployment's"]) + "\n")
    return Exit.DONE


def _read(changes: Sequence[str]) -> dict[str, int]:
    pairs = [text.partition("=") for text in changes]
    for (name, _, value), text in zip(pairs, changes, strict=True):
        if name not in _NAMES or not (value.isascii() and value.isdigit()):
            raise UsageError(f"--set {text!r}: write NAME=N with a name of {', '.join(_NAMES)}")
    return {name: int(value) for name, _, value in pairs}


def _lines(found: Allowance) -> list[str]:
    rows = [_rate_row(found.rate)] if found.rate else []
    rows += [_quota_row(quota) for quota in found.quotas]
    caps = found.caps
    sizes = (
        f"a request: {caps.max_json_bytes:,} bytes of JSON or {caps.max_ndjson_bytes:,} of NDJSON, "
        f"{caps.max_queries:,} queries, depth {caps.max_depth:,}, {caps.max_metrics} metrics"
    )
    more = f"{found.egress.allowed} more by the operator"
    return [
        f"team {found.team}" + (f", key {found.key}" if found.key else ""),
        *table(_HEAD, rows, prose=("new",)),
        sizes,
        f"runs may call: {found.egress.policy} addresses, {more}",
    ]


def _rate_row(rate: Rate) -> tuple[str, ...]:
    used = rate.requests - rate.remaining
    name = f"requests in {rate.window_s:,} s"
    return (name, *_numbers(rate.requests, used, rate.remaining), f"in {rate.reset_s} s")


def _quota_row(quota: Quota) -> tuple[str, ...]:
    resets = quota.resets_at or ""
    return (quota.name.unit, *_numbers(quota.limit, quota.used, quota.left), resets)


def _numbers(*values: int | None) -> tuple[str, ...]:
    return tuple(NOTHING if value is None else f"{value:,}" for value in values)
