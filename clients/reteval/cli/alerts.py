"""The commands about alerts: make, list, switch, see what they found."""

from collections.abc import Callable
from typing import Final

from msgspec import structs

from reteval.cli.schedules import TO_MINUTES
from reteval.cli.session import Exit, Session
from reteval.cli.showing import show, show_rows
from reteval.contract.alerts import Alert, AlertRequest, Evaluation

_HEAD: Final = ("id", "name", "state", "in a row", "runs", "webhooks")
_LOG: Final = ("at", "run", "verdict", "state", "told", "what was found")


def alert(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _create(session: Session) -> int:
    made = session.client.create_alert(session.options.file)
    return show(session, made, f"{made.id} looks at runs that end from now on")


def _list(session: Session) -> int:
    found = list(session.client.alerts())
    return show_rows(session, found, _HEAD, [_cells(one) for one in found])


def _show(session: Session) -> int:
    found = session.client.alert(session.options.alert)
    return show_rows(session, [found], _HEAD, [_cells(found)])


def _switch(session: Session, *, on: bool) -> int:
    known = session.client.alert(session.options.alert)
    fields = {name: getattr(known, name) for name in AlertRequest.__struct_fields__}
    request = structs.replace(AlertRequest(**fields), enabled=on)
    changed = session.client.replace_alert(known.id, request, version=known.version)
    return show(session, changed, f"{changed.id} is {'on' if changed.enabled else 'off'}")


def _remove(session: Session) -> int:
    session.client.delete_alert(session.options.alert)
    return Exit.DONE


def _log(session: Session) -> int:
    found = list(session.client.evaluations(session.options.alert))
    return show_rows(session, found, _LOG, [_found_cells(one) for one in found])


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {
    "create": _create,
    "list": _list,
    "show": _show,
    "on": lambda session: _switch(session, on=True),
    "off": lambda session: _switch(session, on=False),
    "remove": _remove,
    "log": _log,
}


def _cells(one: Alert) -> tuple[str, ...]:
    state = one.state.value if one.enabled else "off"
    in_a_row = f"{one.failing} failing" if one.failing else f"{one.passing} passing"
    wanted = one.runs
    runs = " ".join(word for word in (wanted.test_set, wanted.label, wanted.schedule) if word)
    return (one.id, one.name, state, in_a_row, runs or "all", ",".join(one.webhooks))


def _found_cells(one: Evaluation) -> tuple[str, ...]:
    return (
        one.at[:TO_MINUTES].replace("T", " "),
        one.run,
        one.verdict.value if one.verdict else "",
        one.state.value,
        one.event.value if one.event else "",
        one.sentence,
    )
