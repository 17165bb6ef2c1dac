"""What a receiver is sent: the event as JSON, and the headers that sign it."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

import msgspec
from multidict import CIMultiDict

from reteval.contract.runs import RunStatus
from reteval.contract.signatures import ID, SIGNATURE, TIMESTAMP, sign
from reteval.contract.webhooks import EndedRun, WebhookEvent, WebhookFormat
from service.store.bare_report import iso_time
from service.store.deliveries import Due
from worker.webhooks.chat import write_chat

_NAMED: Final = {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": f"reteval/{version('reteval-service')}",
}


def write_body(due: Due) -> bytes:
    """Return the event in the webhook's format, the same bytes at every attempt."""
    event = WebhookEvent(
        type=due.type,
        timestamp=iso_time(due.created_ms),
        data=_ended_run(due),
        alert=due.alert,
    )
    if due.format is WebhookFormat.SLACK:
        return write_chat(event)
    return msgspec.json.encode(event)


def write_headers(due: Due, body: bytes, secrets: Sequence[str]) -> CIMultiDict[str]:
    """Return the headers of an attempt now, signed with each of the secrets, if there are any."""
    if not secrets:
        return CIMultiDict(_NAMED)
    now = due.now_ms // 1_000
    signatures = [
        sign(secret, message_id=due.event, timestamp=now, body=body) for secret in secrets
    ]
    return CIMultiDict(
        {**_NAMED, ID: due.event, TIMESTAMP: str(now), SIGNATURE: " ".join(signatures)}
    )


def _ended_run(due: Due) -> EndedRun | None:
    if not due.run:
        return None
    own = f"/v1/runs/{due.run}"
    return EndedRun(
        id=due.run,
        status=RunStatus(due.status),
        label=due.label,
        test_set=due.test_set,
        test_set_name=due.test_set_name,
        links={"self": own, "results": f"{own}/results"},
    )
