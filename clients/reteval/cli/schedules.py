"""The commands about schedules: make, list, pause, start by hand, see what became of times."""

from collections.abc import Callable
from typing import Any, Final

from reteval.cli.arguments import run_request
from reteval.cli.session import Exit, Session
from reteval.cli.showing import show, show_rows
from reteval.contract.schedules import Fire, Schedule

TO_MINUTES: Final = 16
"""Characters of a timestamp up to its minutes."""
_HEAD: Final = ("id", "name", "cron", "zone", "next", "last run")
_LOG: Final = ("due", "outcome", "run", "missed", "why")
_OPTIONS: Final = {"zone": "zone", "missed": "missed", "grace": "grace_s", "overlap": "overlap"}


def schedule(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _create(session: Session) -> int:
    options = session.options
    request: dict[str, Any] = {
        "name": options.name,
        "cron": options.cron,
        "run": run_request(options),
    }
    for option, field in _OPTIONS.items():
        if getattr(options, option) is not None:
            request[field] = getattr(options, option)
    made = session.client.create_schedule(request)
    return show(session, made, f"{made.id} is due at {_minute(made.next_at)} UTC")


def _list(session: Session) -> int:
    found = list(session.client.schedules())
    return show_rows(session, found, _HEAD, [_cells(one) for one in found])


def _show(session: Session) -> int:
    found = session.client.schedule(session.options.schedule)
    return show_rows(session, [found], _HEAD, [_cells(found)])


def _pause(session: Session) -> int:
    paused = session.client.pause_schedule(session.options.schedule)
    return show(session, paused, f"{paused.id} is paused")


def _resume(session: Session) -> int:
    session.client.resume_schedule(session.options.schedule)
    resumed = session.client.schedule(session.options.schedule)
    return show(session, resumed, f"{resumed.id} is due at {_minute(resumed.next_at)} UTC")


def _remove(session: Session) -> int:
    session.client.delete_schedule(session.options.schedule)
    return Exit.DONE


def _start(session: Session) -> int:
    run = session.client.start_schedule(session.options.schedule)
    return show(session, run, f"{run.id} {run.status.value}\nnext: reteval wait {run.id}")


def _log(session: Session) -> int:
    found = list(session.client.fires(session.options.schedule))
    return show_rows(session, found, _LOG, [_fire_cells(one) for one in found])


def _times(session: Session) -> int:
    options = session.options
    told = session.client.fire_times(options.cron, options.zone or "UTC", count=options.count)
    rows = [(time.local, _minute(time.at)) for time in told.times]
    return show_rows(session, [told], (told.zone, "UTC"), rows)


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {
    "create": _create,
    "list": _list,
    "show": _show,
    "pause": _pause,
    "resume": _resume,
    "remove": _remove,
    "start": _start,
    "log": _log,
    "times": _times,
}


def _cells(one: Schedule) -> tuple[str, ...]:
    due = "paused" if one.paused else _minute(one.next_at)
    return (one.id, one.name, one.cron, one.zone, due, one.last_run or "")


def _fire_cells(one: Fire) -> tuple[str, ...]:
    why = "by hand" if one.by_hand else f"{one.code}: {one.detail}" if one.code else ""
    missed = str(one.missed) if one.missed else ""
    return (_minute(one.at), one.outcome.value, one.run or "", missed, why)


def _minute(moment: str | None) -> str:
    return (moment or "")[:TO_MINUTES].replace("T", " ")
