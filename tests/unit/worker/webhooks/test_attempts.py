"""One attempt over a real socket: what counts as delivered, and what comes after a failure."""

import json
from typing import Any

import msgspec
import pytest

from reteval import verify_webhook
from reteval.contract.webhooks import DeliveryState, WebhookFormat
from service.settings import Settings
from service.store.deliveries import Due, Verdict
from service.store.sealing import seal
from service.store.webhooks import ADDRESS, CURRENT, OLD
from tests.evil import Evil
from tests.hooks import KEY, SIGNER
from tests.receiver import receive
from tests.unit.worker.webhooks.test_messages import DUE
from worker.webhooks.attempts import attempt

ENVIRONMENT = {
    "RETEVAL_EGRESS": "loopback",
    "RETEVAL_SECRET_KEY": KEY,
    "RETEVAL_WEBHOOK_RETRIES_S": "5,300",
    "RETEVAL_WEBHOOK_TIMEOUT_S": "0.5",
    "RETEVAL_WEBHOOK_PATIENCE_S": "7200",
}
OTHER = "whsec_b3RoZXI="


def due(url: str, **changes: Any) -> Due:
    """Return a delivery to make."""
    sealed = seal(KEY, {CURRENT: SIGNER, OLD: OTHER})
    return msgspec.structs.replace(DUE, url=url, sealed=sealed, **changes)


async def make(delivery: Due, **environ: str) -> Verdict:
    """Make an attempt without jitter."""
    settings = Settings.from_env({**ENVIRONMENT, **environ})
    return await attempt(delivery, settings, draw=lambda low, high: (low + high) / 2)


@pytest.mark.parametrize("status", [200, 202, 204])
async def test_any_2xx_is_delivered(status: int) -> None:
    """The message arrives as signed, at the whole URL."""
    with receive([status]) as receiver:
        verdict = await make(due(receiver.url))
    assert (verdict.state, verdict.attempt.status) == (DeliveryState.DELIVERED, status)
    assert verdict.attempt.error is None
    assert verdict.attempt.latency_ms is not None
    message = receiver.messages[0]
    assert message.path == "/hook?team=search"
    verify_webhook(SIGNER, message.headers, message.body, clock=lambda: DUE.now_ms / 1_000)


@pytest.mark.parametrize("live", [True, False])
async def test_old_secret_signs_as_long_as_it_lives(*, live: bool) -> None:
    """During the time of grace there are two signatures, afterwards one."""
    with receive() as receiver:
        await make(due(receiver.url, old_secret=live))
    assert len(receiver.messages[0].headers["webhook-signature"].split()) == (2 if live else 1)


@pytest.mark.parametrize(
    ("tries", "state", "wait_s"),
    [
        (0, DeliveryState.PENDING, 5.0),
        (1, DeliveryState.PENDING, 300.0),
        (2, DeliveryState.FAILED, 0.0),
    ],
)
async def test_failures_go_by_the_schedule(tries: int, state: DeliveryState, wait_s: float) -> None:
    """Each failure waits for its pause; after the last one the delivery has failed."""
    with receive([500]) as receiver:
        verdict = await make(due(receiver.url, tries=tries))
    assert (verdict.state, verdict.wait_s) == (state, wait_s)
    assert (verdict.attempt.status, verdict.attempt.error) == (500, "HTTP 500")
    assert verdict.patience_s == 7_200
    assert verdict.reason == "every attempt of 2 hours failed; the last: HTTP 500"


async def test_pauses_are_varied() -> None:
    """Receivers that come back are not met by all deliveries at once."""
    settings = Settings.from_env(ENVIRONMENT)
    with receive([500] * 20) as receiver:
        waits = {(await attempt(due(receiver.url), settings)).wait_s for _ in range(20)}
    assert len(waits) > 1
    assert all(4 <= wait <= 6 for wait in waits)


async def test_gone_is_for_good() -> None:
    """A receiver that answers 410 is not tried again, and switched off at once."""
    with receive([410]) as receiver:
        verdict = await make(due(receiver.url))
    assert (verdict.state, verdict.patience_s) == (DeliveryState.FAILED, 0)
    assert "410" in verdict.reason


async def test_redirects_are_not_followed() -> None:
    """A redirect is a failure that says what to do; nothing is sent on."""
    with receive([307]) as receiver:
        verdict = await make(due(receiver.url))
    assert verdict.state is DeliveryState.PENDING
    assert "redirects are not followed" in (verdict.attempt.error or "")
    assert len(receiver.messages) == 1


async def test_long_answers_are_not_read() -> None:
    """The status decides; of a body no more is read than a bound."""
    with receive([200], answer=b"x" * 1_000_000) as receiver:
        verdict = await make(due(receiver.url))
    assert (verdict.state, verdict.attempt.status) == (DeliveryState.DELIVERED, 200)
    with receive([500], answer=b"x" * 1_000_000) as receiver:
        verdict = await make(due(receiver.url))
    assert verdict.attempt.error == "HTTP 500"


async def test_slow_receiver_is_cut_at_the_deadline() -> None:
    """An answer that never ends counts as none."""
    async with Evil() as evil:
        verdict = await make(due(evil.url("hang")))
    assert verdict.attempt.error == "no answer within the time limit"
    assert (verdict.attempt.latency_ms or 0) >= 500


async def test_refused_targets_get_no_connection() -> None:
    """Both halves of the boundary hold: the URL, and the address that its name stands for."""
    with receive() as receiver:
        port = receiver.server_address[1]
        for url in (receiver.url, f"http://localhost.localdomain:{port}/", "http://[::1]:1/"):
            verdict = await make(due(url), RETEVAL_EGRESS="public")
            assert verdict.state is DeliveryState.PENDING
            assert verdict.attempt.status is None
            assert verdict.attempt.error
    assert receiver.messages == []


async def test_key_that_does_not_fit_sends_nothing() -> None:
    """A worker with another key says so in the log instead of signing with nothing."""
    with receive() as receiver:
        verdict = await make(due(receiver.url), RETEVAL_SECRET_KEY="")
    assert "RETEVAL_SECRET_KEY" in (verdict.attempt.error or "")
    assert receiver.messages == []


async def test_chat_is_written_to_at_its_sealed_address() -> None:
    """The message arrives unsigned at the whole URL; what goes wrong names only where it leads."""
    with receive([200, 404]) as receiver:
        origin = receiver.url.partition("/hook")[0]
        chat = msgspec.structs.replace(
            due(f"{origin}/…", format=WebhookFormat.SLACK),
            sealed=seal(KEY, {ADDRESS: f"{origin}/services/T0/B0/s3cret"}),
        )
        delivered, refused = await make(chat), await make(chat)
    hanging = msgspec.structs.replace(
        chat, sealed=seal(KEY, {ADDRESS: "http://10.0.0.1/services/s3cret"})
    )
    down, blocked = await make(chat), await make(hanging)
    assert delivered.state is DeliveryState.DELIVERED
    message = receiver.messages[0]
    assert message.path == "/services/T0/B0/s3cret"
    assert "webhook-signature" not in message.headers
    assert set(json.loads(message.body)) == {"text", "blocks"}
    assert refused.attempt.status == 404
    assert blocked.blocked
    for verdict in (refused, down, blocked):
        assert verdict.attempt.error
        assert b"s3cret" not in msgspec.json.encode(verdict)
