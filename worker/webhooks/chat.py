"""What a chat is sent: an event as a short message, in the form of Slack's incoming webhooks.

Names that people gave are text in it: they mention nobody, link nowhere and are not bold.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final

import msgspec

from reteval.contract.alerts import AlertEvent, AlertNotice
from reteval.contract.webhooks import PING, EndedRun, WebhookEvent

MAX_HEAD: Final = 150
MAX_TEXT: Final = 3_000
"""Characters that a head and a text may have there."""
_HEADS: Final = {
    AlertEvent.FAILING.value: "Failing: {}",
    AlertEvent.RECOVERED.value: "Recovered: {}",
}
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def write_chat(event: WebhookEvent) -> bytes:
    """Return the message: `text` for notifications, `blocks` for the chat."""
    head, lines = _head(event), list(_lines(event))
    blocks: list[dict[str, Any]] = [{"type": "header", "text": _plain(head, MAX_HEAD)}]
    if lines:
        blocks.append({"type": "section", "text": _plain("\n".join(lines), MAX_TEXT)})
    return msgspec.json.encode({"text": _cut(head, MAX_TEXT), "blocks": blocks})


def _head(event: WebhookEvent) -> str:
    if event.alert is not None:
        return _HEADS[event.type].format(event.alert.name)
    if event.data is None:
        return "reteval can write here" if event.type == PING else event.type
    return f"Run {event.data.status.value.replace('_', ' ')}: {event.data.label or event.data.id}"


def _lines(event: WebhookEvent) -> Iterator[str]:
    if event.alert is not None:
        yield from _tell_alert(event.alert)
    if event.data is not None:
        yield from _tell_run(event.data)


def _tell_alert(alert: AlertNotice) -> Iterator[str]:
    yield alert.sentence
    yield from (f"• {rule}" for rule in alert.rules)


def _tell_run(run: EndedRun) -> Iterator[str]:
    label = f" ({run.label})" if run.label else ""
    yield f"run {run.id}{label} over {run.test_set_name or 'a test set'}: {run.status.value}"
    yield run.links["results"]


def _plain(text: str, most: int) -> dict[str, Any]:
    return {"type": "plain_text", "text": _cut(text, most), "emoji": False}


def _cut(text: str, most: int) -> str:
    """Return text so that it fits as it is sent, with three characters escaped."""
    escaped = [char.translate(_ESCAPES) for char in text]
    ends = list(accumulate(map(len, escaped)))
    if not ends or ends[-1] <= most:
        return "".join(escaped)
    return "".join(escaped[: bisect_left(ends, most)]) + "…"
