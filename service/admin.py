"""`python -m service admin`: look at jobs that have not ended, wake one, end one.

It reads and writes the store itself, since it is for hours when nothing else answers; therefore it
belongs to the service's command and not to `reteval`, which speaks HTTP with a key.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from service.core.inspection import JobView, UnitView, fail_job, list_jobs, show_job, wake_job
from service.embedded import EmbeddedServer
from service.queue import JobQueue
from service.settings import Settings, SettingsError
from service.store.store import Store

T = TypeVar("T")
Add = Callable[[Any, str, Callable[[argparse.Namespace], None], str, str], argparse.ArgumentParser]
_MINUTE: Final = 60
_HOUR: Final = 3_600
_SHOWN: Final = 20
"""Units that are listed of a job; `--json` has all."""


def add_admin(commands: Any, add: Add) -> None:
    """Add the command and what it can do to a command line."""
    root = add(
        commands,
        "admin",
        show_all,
        "List jobs that have not ended: state, units, leases, crashes, what each waits for.",
        "python -m service admin --json",
    )
    _add_json(root)
    root.set_defaults(json=False)
    does = root.add_subparsers(metavar="ACTION")
    for name, run, about, example in (
        ("job", show_one, "Show one job with its units.", "python -m service admin job run_…"),
        (
            "wake",
            wake,
            "Make the wake-up calls that a job lacks.",
            "python -m service admin wake run_…",
        ),
        (
            "fail",
            fail,
            "End a job that does not end by itself as failed; its answers so far are dropped.",
            "python -m service admin fail run_… --reason 'the endpoint was retired'",
        ),
    ):
        action = add(does, name, run, about, example)
        action.add_argument("id", help="the job's id, such as run_…")
        _add_json(action)
        if name == "fail":
            action.add_argument("--reason", required=True, help="what the run's owner is told")


def show_all(args: argparse.Namespace) -> None:
    """Print every job that has not ended, oldest first."""
    views = _ask(list_jobs)
    if args.json:
        _print_json(views)
    else:
        _print(write_table(views) if views else "No job is under way.\n")


def show_one(args: argparse.Namespace) -> None:
    """Print one job with its units."""
    view = _ask(lambda store, queue: show_job(store, queue, args.id))
    if args.json:
        _print_json(view)
    else:
        _print(write_table([view]) + write_units(view.units))


def wake(args: argparse.Namespace) -> None:
    """Make the wake-up calls that a job lacks."""
    made = _ask(lambda store, queue: wake_job(store, queue, args.id))
    if args.json:
        _print_json({"id": args.id, "calls_made": made})
    else:
        _print(f"{args.id}: {made} wake-up calls were missing and are made\n")


def fail(args: argparse.Namespace) -> None:
    """End a job as failed."""
    ended = _ask(lambda store, _: fail_job(store, args.id, reason=args.reason))
    if args.json:
        _print_json({"id": args.id, "failed": ended})
    else:
        _print(f"{args.id}: {'failed' if ended else 'it ended meanwhile'}\n")


def write_table(views: list[JobView]) -> str:
    """Write jobs one a line."""
    rows = [("ID", "TENANT", "QUEUE", "STATUS", "AGE", "UNITS", "CALLS", "CRASHES", "WHAT IS UP")]
    rows += [
        (
            view.id,
            view.tenant,
            view.queue,
            f"{view.status}{' (cancel asked)' if view.cancel_requested else ''}",
            _write_age(view.age_s),
            _sum_up(view.units),
            str(view.calls),
            str(view.crashes),
            view.verdict,
        )
        for view in views
    ]
    return _align(rows)


def write_units(units: tuple[UnitView, ...]) -> str:
    """Write the units of a job one a line."""
    rows = [("UNIT", "STATE", "HOLDER", "LEASE LEFT", "CLAIMS", "CRASHES")]
    rows += [
        (
            unit.name,
            unit.state,
            unit.owner or "-",
            "-" if unit.state == "free" else f"{unit.lease_left_s:.1f} s",
            str(unit.claims),
            str(unit.crashes),
        )
        for unit in units[:_SHOWN]
    ]
    more = len(units) - _SHOWN
    return "\n" + _align(rows) + (f"and {more} more\n" if more > 0 else "")


def _ask(question: Callable[[Store, JobQueue], Awaitable[T]]) -> T:
    url = _find_store()

    async def ask() -> T:
        store, queue = Store.connect(url), JobQueue.connect(url)
        try:
            return await question(store, queue)
        finally:
            queue.close()
            await store.close()

    return asyncio.run(ask())


def _find_store() -> str:
    """Return the URL of the store; without a setting, of the embedded server if it runs."""
    settings = Settings.from_env(os.environ)
    if settings.redis_url:
        return settings.redis_url
    embedded = EmbeddedServer(Path(settings.data))
    if not embedded.running():
        raise SettingsError(
            f"No embedded server runs in {settings.data!r}: set RETEVAL_REDIS_URL, or RETEVAL_DATA "
            "to the data directory of the running service"
        )
    return embedded.url


def _sum_up(units: tuple[UnitView, ...]) -> str:
    states = [unit.state for unit in units]
    counts = [(state, states.count(state)) for state in ("held", "lapsed", "free")]
    return ", ".join(f"{count} {state}" for state, count in counts if count) or "none"


def _write_age(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"


def _align(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _add_json(parser: argparse.ArgumentParser) -> None:
    # Suppressed, so that an action does not unset what stands before it.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def _print_json(value: Any) -> None:
    _print(msgspec.json.format(msgspec.json.encode(value)).decode() + "\n")


def _print(text: str) -> None:
    sys.stdout.write(text)
