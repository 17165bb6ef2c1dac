"""The commands about keys and sharing. Secrets go to standard output, what to know to the other."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct, structs

from reteval.cli.session import Exit, Session
from reteval.cli.tables import NOTHING, table
from reteval.contract.api_keys import ApiKey, NewApiKey
from reteval.contract.grants import Grant

_TO_MINUTES: Final = 16
"""Characters of a timestamp down to its minutes."""
_ONCE: Final = "it is shown only now\n"


def teams(session: Session) -> int:
    """Make a team, or list all."""
    options = session.options
    if options.action == "create":
        body = {"id": options.id, "name": options.name or options.id}
        made = session.client.create_team(body)
        return _say(session, made, f"{made.id}\n")
    rows = session.client.teams()
    return _list(session, rows, ("id", "name"), lambda row: (row.id, row.name))


def keys(session: Session) -> int:
    """Make, list, rotate or revoke keys."""
    return _KEYS[session.options.action](session)


def grant(session: Session) -> int:
    """Let others read, list grants, or take one back."""
    options, client = session.options, session.client
    if options.action == "create":
        asked = {"run": options.run, "test_set": options.test_set, "label": options.label}
        given = {name: value for name, value in asked.items() if value is not None}
        made = client.grant({"to": options.to, **given})
        return _say(session, made, f"{made.id} {_subject(made)} to {made.to}\n")
    if options.action == "delete":
        client.delete_grant(options.grant)
        return _say(session, None, f"{options.grant} deleted\n")
    head = ("grant", "what", "team", "to", "since")
    return _list(
        session,
        client.grants(received=options.received),
        head,
        lambda row: (row.id, _subject(row), row.team, row.to, _minute(row.created_at)),
    )


def share(session: Session) -> int:
    """Make, list or close links to a run."""
    options, client = session.options, session.client
    if options.action == "create":
        made = client.share(options.run, days=options.days)
        if not session.options.json:
            until = _minute(made.expires_at)
            session.stderr.write(f"{made.id} opens {made.run} until {until}; {_ONCE}")
        return _say(session, made, f"{client.url}{made.url}\n")
    if options.action == "delete":
        client.close_link(options.run, options.link)
        return _say(session, None, f"{options.link} closed\n")
    return _list(
        session,
        client.links(options.run),
        ("link", "since", "until"),
        lambda row: (row.id, _minute(row.created_at), _minute(row.expires_at)),
    )


def audit(session: Session) -> int:
    """Print the newest events of a log."""
    options = session.options
    rows = list(islice(session.client.audit(log=options.log), options.limit))
    head = ("time", "event", "team", "key", "target", "via", "detail", "ip")
    return _list(
        session,
        rows,
        head,
        lambda row: (_minute(row.at), row.event.value, *(getattr(row, name) for name in head[2:])),
    )


def _create_key(session: Session) -> int:
    options = session.options
    scopes = [word.strip() for word in options.scopes.split(",") if word.strip()]
    asked = {"expires_in_days": options.days, "team": options.team}
    given = {name: value for name, value in asked.items() if value is not None}
    return _show_secret(
        session, session.client.create_key({"name": options.name, "scopes": scopes, **given})
    )


def _list_keys(session: Session) -> int:
    head = ("key", "name", "scopes", "ends in", "until", "last used", "state")
    return _list(session, session.client.api_keys(team=session.options.team), head, _key_cells)


def _rotate_key(session: Session) -> int:
    options = session.options
    made = session.client.rotate_key(options.key, overlap_hours=options.overlap_hours)
    return _show_secret(session, made)


def _revoke_key(session: Session) -> int:
    key = session.options.key
    session.client.revoke_key(key)
    return _say(session, None, f"{key} revoked\n")


_KEYS: Final[dict[str, Callable[[Session], int]]] = {
    "create": _create_key,
    "list": _list_keys,
    "rotate": _rotate_key,
    "revoke": _revoke_key,
}


def _show_secret(session: Session, made: NewApiKey) -> int:
    if not session.options.json:
        session.stderr.write(f"{made.id} opens until {_minute(made.expires_at)}; {_ONCE}")
    return _say(session, made, f"{made.secret}\n")


def _key_cells(key: ApiKey) -> tuple[str, ...]:
    return (
        key.id,
        key.name,
        " ".join(key.scopes),
        key.last4,
        _minute(key.expires_at),
        _minute(key.last_used_at),
        "revoked" if key.revoked_at else "",
    )


def _subject(grant: Grant) -> str:
    given = structs.asdict(grant)
    return next(f"{name} {given[name]}" for name in ("run", "test_set", "label") if given[name])


def _list(
    session: Session,
    rows: Iterable[Any],
    head: Sequence[str],
    cells: Callable[[Any], Sequence[str]],
) -> int:
    if session.options.json:
        for row in rows:
            session.print_json(row)
        return Exit.DONE
    session.print("\n".join(table(head, [tuple(cells(row)) for row in rows], prose=head)) + "\n")
    return Exit.DONE


def _say(session: Session, made: Struct | None, text: str) -> int:
    if session.options.json:
        if made is not None:
            session.print_json(made)
    else:
        session.print(text)
    return Exit.DONE


def _minute(moment: str | None) -> str:
    return NOTHING if moment is None else moment[:_TO_MINUTES].replace("T", " ")
