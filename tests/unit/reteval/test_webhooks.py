"""What receivers and owners of webhooks use: the check of a message, and the routes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx
import msgspec
import pytest
from msgspec.structs import asdict

from reteval import AsyncClient, Client, Retry, SignatureError, WebhookEvent, verify_webhook
from reteval.contract.runs import RunStatus
from reteval.contract.signatures import sign
from reteval.contract.webhooks import (
    Delivery,
    DeliveryPage,
    DeliveryState,
    EndedRun,
    RunEvent,
    Webhook,
    WebhookPage,
    WebhookSecret,
)
from reteval.errors import NotFoundError
from tests.unit.reteval.documents import URL, Script, answer, problem

T = TypeVar("T")
NOW = 1_764_460_800
SIGNER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_b3RoZXI="
EVENT = WebhookEvent(
    type=RunEvent.COMPLETED,
    timestamp="2025-11-30T00:00:00.000Z",
    data=EndedRun(
        id="run_1",
        status=RunStatus.COMPLETED,
        label="main",
        test_set="ts_1",
        test_set_name="docs",
        links={"self": "/v1/runs/run_1"},
    ),
)
BODY = msgspec.json.encode(EVENT)
WEBHOOK = Webhook(
    id="wh_1",
    url="https://a.example/hook",
    events=tuple(RunEvent),
    label="",
    test_set="",
    description="",
    enabled=True,
    disabled_reason=None,
    failing_since=None,
    old_secret_until=None,
    created_at="2025-11-30T00:00:00.000Z",
    updated_at="2025-11-30T00:00:00.000Z",
)
DELIVERY = Delivery(
    id="evt_1",
    type="ping",
    run="",
    state=DeliveryState.PENDING,
    created_at="2025-11-30T00:00:00.000Z",
    next_attempt_at=None,
    attempts=(),
)
MADE = WebhookSecret(**asdict(WEBHOOK), secret=SIGNER)


def headers(*secrets: str, body: bytes = BODY, **changes: str) -> dict[str, str]:
    """Return the headers of a message, signed with each secret."""
    signed = [sign(one, message_id="evt_1", timestamp=NOW, body=body) for one in secrets]
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(NOW),
        "Webhook-Signature": " ".join(signed),
    } | {name.replace("_", "-"): value for name, value in changes.items()}


def check(
    given: dict[str, str],
    *,
    body: bytes = BODY,
    secret: str | list[str] = SIGNER,
    now: float = NOW,
) -> WebhookEvent:
    """Check a message at a time."""
    return verify_webhook(secret, given, body, clock=lambda: now)


@pytest.mark.parametrize("now", [NOW - 300, NOW, NOW + 300])
def test_message_of_the_service_is_accepted(now: float) -> None:
    """Header names in any case, clocks a little apart."""
    assert check(headers(SIGNER), now=now) == EVENT


def test_rotation_on_either_side() -> None:
    """Two signatures fit either secret, and a receiver may know two secrets."""
    assert check(headers(OTHER, SIGNER)) == EVENT
    assert check(headers(OTHER), secret=[SIGNER, OTHER]) == EVENT


@pytest.mark.parametrize(
    "given",
    [
        {},
        headers(SIGNER) | {"Webhook-Timestamp": "soon"},
        headers(SIGNER) | {"Webhook-Timestamp": str(NOW + 1)},
        headers(SIGNER) | {"Webhook-Id": "evt_2"},
        headers(SIGNER) | {"Webhook-Signature": ""},
        headers(SIGNER) | {"Webhook-Signature": "v1,\u00e9"},
        headers(SIGNER) | {"Webhook-Signature": "v1a," + headers(SIGNER)["Webhook-Signature"][3:]},
        headers(OTHER),
    ],
)
def test_other_messages_are_refused(given: dict[str, str]) -> None:
    """Any part that is missing, changed or signed by somebody else."""
    with pytest.raises(SignatureError):
        check(given)


@pytest.mark.parametrize("now", [NOW - 301, NOW + 301])
def test_old_and_future_messages_are_refused(now: float) -> None:
    """A message that was recorded and sent again later is too old."""
    with pytest.raises(SignatureError, match="too long ago"):
        check(headers(SIGNER), now=now)


def test_changed_body_is_refused() -> None:
    """Every byte is signed."""
    with pytest.raises(SignatureError, match="no signature fits"):
        check(headers(SIGNER), body=BODY + b" ")


def test_signed_nonsense_is_refused() -> None:
    """What is signed but no event is no event."""
    with pytest.raises(SignatureError, match="no event"):
        check(headers(SIGNER, body=b"[]"), body=b"[]")


def in_sync(service: Script, work: Callable[[Client], T]) -> T:
    """Do some work with a synchronous client."""
    http = httpx.Client(transport=httpx.MockTransport(service))
    retry = Retry(pauses_s=(1.0,), draw=lambda: 0.0)
    with Client(URL, "s3cret", http=http, retry=retry, sleep=lambda _: None) as client:
        return work(client)


def awaited(service: Script, work: Callable[[AsyncClient], Any]) -> Any:
    """Do some work with a client for asyncio; rows are collected."""

    async def rest(_: float) -> None:
        """Let no time pass."""

    async def whole() -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async)) as http:
            retry = Retry(pauses_s=(1.0,), draw=lambda: 0.0)
            async with AsyncClient(URL, "s3cret", http=http, retry=retry, sleep=rest) as client:
                doing = work(client)
                if isinstance(doing, Awaitable):
                    return await doing
                return [row async for row in doing]

    return asyncio.run(whole())


both = pytest.mark.parametrize("calls", [in_sync, awaited])
Work = Callable[[Any], Any]


@both
@pytest.mark.parametrize(
    ("work", "document", "request_line"),
    [
        (lambda c: c.create_webhook({"url": WEBHOOK.url}), MADE, "POST /v1/webhooks"),
        (lambda c: c.webhook("wh_1"), WEBHOOK, "GET /v1/webhooks/wh_1"),
        (lambda c: c.replace_webhook("wh_1", {"url": "x"}), WEBHOOK, "PUT /v1/webhooks/wh_1"),
        (lambda c: c.rotate_webhook("wh_1", grace_s=5), MADE, "POST /v1/webhooks/wh_1/rotate"),
        (lambda c: c.ping_webhook("wh_1"), DELIVERY, "POST /v1/webhooks/wh_1/ping"),
        (
            lambda c: c.delivery("wh_1", "evt_1"),
            DELIVERY,
            "GET /v1/webhooks/wh_1/deliveries/evt_1",
        ),
        (
            lambda c: c.replay_delivery("wh_1", "evt_1"),
            DELIVERY,
            "POST /v1/webhooks/wh_1/deliveries/evt_1/replay",
        ),
    ],
)
def test_each_method_is_one_call(
    calls: Callable[..., Any], work: Work, document: Any, request_line: str
) -> None:
    """The route is called and its answer read."""
    service = Script([answer(document)])
    assert calls(service, work) == document
    assert [f"{sent.method} {sent.url.path}" for sent in service.requests] == [request_line]


@both
def test_lists_are_walked_to_their_end(calls: Callable[..., Any]) -> None:
    """Pages follow each other; `limit` is the size of one."""
    service = Script(
        [
            answer(DeliveryPage(items=(DELIVERY,), next_cursor="next")),
            answer(DeliveryPage(items=(DELIVERY,))),
        ]
    )
    got = calls(service, lambda client: client.deliveries("wh_1", limit=1))
    assert list(got) == [DELIVERY, DELIVERY]
    assert dict(service.requests[1].url.params) == {"limit": "1", "cursor": "next"}
    listed = calls(
        Script([answer(WebhookPage(items=(WEBHOOK,)))]), lambda client: client.webhooks()
    )
    assert list(listed) == [WEBHOOK]


@both
def test_delete_answers_nothing(calls: Callable[..., Any]) -> None:
    """An empty answer is what is expected."""
    service = Script([httpx.Response(204)])
    assert calls(service, lambda client: client.delete_webhook("wh_1")) is None


@both
@pytest.mark.parametrize(
    "work",
    [
        lambda c: c.create_webhook({"url": "x"}),
        lambda c: c.rotate_webhook("wh_1"),
        lambda c: c.ping_webhook("wh_1"),
    ],
)
def test_what_must_not_happen_twice_has_one_key(calls: Callable[..., Any], work: Work) -> None:
    """A lost answer could hide a webhook, a secret or a message that was made."""
    service = Script([httpx.ReadError("reset"), problem(404, "not_found")])
    with pytest.raises(NotFoundError):
        calls(service, work)
    first, second = [request.headers["idempotency-key"] for request in service.requests]
    assert first == second
