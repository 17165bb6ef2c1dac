"""Deliveries as a worker sees them: take one that is due, write down how the attempt ended."""

from typing import Final

import msgspec
from msgspec import Struct

from reteval.contract.alerts import AlertNotice
from reteval.contract.webhooks import Attempt, DeliveryState, WebhookFormat
from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts, text
from service.store.webhooks import read_attempts, read_format

KEPT: Final = 500
"""Deliveries of a webhook that its log keeps, besides those that are still to be made."""
ATTEMPTS_KEPT: Final = 20


class Due(Struct, frozen=True, kw_only=True):
    """A delivery leased to one worker, with all it takes to make it.

    `tries` counts the failed attempts since it was first, or last, queued. `label` to
    `test_set_name` are of the run, and empty for a ping. The old secret is in `sealed` and signs
    along where `old_secret`. `alert` is what an alert has to say, if one has.
    """

    tenant: str
    webhook: str
    event: str
    token: int
    url: str
    sealed: bytes
    old_secret: bool
    now_ms: int
    type: str
    created_ms: int
    run: str
    status: str
    label: str
    test_set: str
    test_set_name: str
    tries: int
    attempts: tuple[Attempt, ...]
    alert: AlertNotice | None = None
    format: WebhookFormat = WebhookFormat.SIGNED


class Verdict(Struct, frozen=True, kw_only=True):
    """How an attempt ended, and when there is another one.

    The webhook is switched off for `reason` if nothing was delivered for `patience_s`. `blocked`:
    nothing was sent, since its address may not be called.
    """

    state: DeliveryState
    attempt: Attempt
    reason: str = ""
    wait_s: float = 0.0
    patience_s: float = 0.0
    blocked: bool = False


class Deliveries:
    """What is due, over all tenants."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def take(self, *, lease_s: float) -> Due | None:
        """Lease the delivery that has been due for longest; None if nothing is due.

        Its webhook gets no other one until it is settled, or the lease is over.
        """
        taken = await self._scripts.run("take_delivery", [keys.WEBHOOKS_DUE], [_ms(lease_s)])
        if not taken:
            return None
        hook, event, token = taken
        return await self._read(*keys.read_webhook(text(hook)), text(event), token)

    async def settle(self, due: Due, verdict: Verdict) -> bool:
        """Write down how the attempt ended; False if the lease was over, or the webhook is gone."""
        attempts = (*due.attempts, verdict.attempt)[-ATTEMPTS_KEPT:]
        answer = await self._scripts.run(
            "settle_delivery",
            [keys.webhook(due.tenant, due.webhook)],
            [
                due.event,
                due.token,
                verdict.state.value,
                msgspec.json.encode(attempts),
                _ms(verdict.wait_s),
                _ms(verdict.patience_s),
                verdict.reason,
                KEPT,
            ],
        )
        return text(answer) == "settled"

    async def _read(self, tenant: str, webhook_id: str, event: str, token: int) -> Due | None:
        hook = await self._connection.hgetall(keys.webhook(tenant, webhook_id))
        about = await self._connection.hgetall(keys.delivery(tenant, webhook_id, event))
        if not hook or not about:  # deleted since it was taken
            return None
        now_ms = await self._connection.now_ms()

        def word(name: str) -> str:
            return about.get(name, b"").decode()

        return Due(
            tenant=tenant,
            webhook=webhook_id,
            event=event,
            token=token,
            url=hook["url"].decode(),
            sealed=hook["secrets"],
            old_secret=int(hook["old_secret_until_ms"]) > now_ms,
            now_ms=now_ms,
            type=word("type"),
            created_ms=int(about["created_ms"]),
            run=word("run"),
            status=word("status"),
            label=word("label"),
            test_set=word("test_set"),
            test_set_name=word("test_set_name"),
            tries=int(about["tries"]),
            attempts=read_attempts(about),
            alert=msgspec.json.decode(about.get("alert", b"null"), type=AlertNotice | None),
            format=read_format(hook),
        )


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)
