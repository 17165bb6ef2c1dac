"""The commands about webhooks: register, list, change, rotate, try out, read the log, replay."""

from collections.abc import Callable
from typing import Final

from msgspec import structs

from reteval.cli.session import Exit, Session
from reteval.cli.showing import show, show_rows
from reteval.contract.webhooks import (
    Delivery,
    RunEvent,
    Webhook,
    WebhookFormat,
    WebhookRequest,
    WebhookSecret,
)

_TO_SECONDS: Final = 19
"""Characters of a timestamp without its fractions."""
_HOOKS: Final = ("id", "state", "events", "url", "label", "test set")
_DELIVERIES: Final = ("event", "type", "run", "state", "attempts", "last attempt")


def webhooks(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _add(session: Session) -> int:
    options = session.options
    request = WebhookRequest(
        url=options.receiver,
        events=[] if options.alerts else list(map(RunEvent, options.event)) or list(RunEvent),
        format=WebhookFormat(options.format),
        label=options.label or "",
        test_set=options.test_set or "",
    )
    return _show_secret(session, session.client.create_webhook(request))


def _list(session: Session) -> int:
    found = list(session.client.webhooks())
    return show_rows(session, found, _HOOKS, [_hook_cells(hook) for hook in found])


def _switch(session: Session, *, on: bool) -> int:
    known = session.client.webhook(session.options.webhook)
    names = WebhookRequest.__struct_fields__
    fields = {name: value for name, value in structs.asdict(known).items() if name in names}
    fields |= {"events": list(known.events), "enabled": on}
    changed = session.client.replace_webhook(known.id, WebhookRequest(**fields))
    return show(session, changed, f"{changed.id} is {_state(changed)}")


def _rotate(session: Session) -> int:
    options = session.options
    return _show_secret(
        session, session.client.rotate_webhook(options.webhook, grace_s=options.grace)
    )


def _remove(session: Session) -> int:
    session.client.delete_webhook(session.options.webhook)
    return Exit.DONE


def _ping(session: Session) -> int:
    return _show_queued(session, session.client.ping_webhook(session.options.webhook))


def _replay(session: Session) -> int:
    options = session.options
    return _show_queued(session, session.client.replay_delivery(options.webhook, options.event_id))


def _log(session: Session) -> int:
    found = list(session.client.deliveries(session.options.webhook))
    return show_rows(session, found, _DELIVERIES, [_delivery_cells(one) for one in found])


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {
    "add": _add,
    "list": _list,
    "on": lambda session: _switch(session, on=True),
    "off": lambda session: _switch(session, on=False),
    "rotate": _rotate,
    "remove": _remove,
    "ping": _ping,
    "log": _log,
    "replay": _replay,
}


def _show_secret(session: Session, made: WebhookSecret) -> int:
    secret = f"\nsecret {made.secret} (not shown again: keep it)" if made.secret else ""
    return show(session, made, f"{made.id}{secret}")


def _show_queued(session: Session, queued: Delivery) -> int:
    hook = session.options.webhook
    return show(session, queued, f"{queued.id} queued\nnext: reteval webhooks log {hook}")


def _hook_cells(hook: Webhook) -> tuple[str, ...]:
    events = "all" if len(hook.events) == len(RunEvent) else ",".join(hook.events) or "alerts"
    return (hook.id, _state(hook), events, hook.url, hook.label, hook.test_set)


def _state(hook: Webhook) -> str:
    if not hook.enabled:
        return f"off: {hook.disabled_reason}" if hook.disabled_reason else "off"
    return f"failing since {hook.failing_since[:_TO_SECONDS]}" if hook.failing_since else "on"


def _delivery_cells(one: Delivery) -> tuple[str, ...]:
    last = one.attempts[-1] if one.attempts else None
    said = f"{last.at[:_TO_SECONDS]} {last.error or last.status}" if last else ""
    return (one.id, one.type, one.run, one.state.value, str(len(one.attempts)), said)
