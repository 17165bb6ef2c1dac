"""What a receiver gets: a small event, the same bytes each time, signed by every live secret."""

import json

import msgspec

from reteval import verify_webhook
from reteval.contract.runs import RunStatus
from service.store.deliveries import Due
from tests.hooks import SIGNER
from worker.webhooks.messages import write_body, write_headers

DUE = Due(
    tenant="default",
    webhook="wh_1",
    event="evt_1",
    token=1,
    url="http://127.0.0.1:9/",
    sealed=b"",
    old_secret=False,
    now_ms=1_764_460_800_999,
    type="run.completed",
    created_ms=1_764_460_700_500,
    run="run_1",
    status="completed",
    label="main",
    test_set="ts_1",
    test_set_name="docs",
    tries=0,
    attempts=(),
)


def test_body_is_small_and_says_where_to_look() -> None:
    """Type, time, and the run with its links: nothing else leaves."""
    assert json.loads(write_body(DUE)) == {
        "type": "run.completed",
        "timestamp": "2025-11-29T23:58:20.500Z",
        "data": {
            "id": "run_1",
            "status": "completed",
            "label": "main",
            "test_set": "ts_1",
            "test_set_name": "docs",
            "links": {"self": "/v1/runs/run_1", "results": "/v1/runs/run_1/results"},
        },
    }


def test_ping_is_about_nothing() -> None:
    """It has a type and a time."""
    ping = msgspec.structs.replace(DUE, type="ping", run="", status="")
    assert set(json.loads(write_body(ping))) == {"type", "timestamp"}


def test_headers_carry_a_signature_for_each_secret() -> None:
    """A receiver that knows either secret accepts the message, as of its own time."""
    other = "whsec_b3RoZXI="
    body = write_body(DUE)
    headers = write_headers(DUE, body, [SIGNER, other])
    assert headers["webhook-id"] == "evt_1"
    assert len(headers["webhook-signature"].split()) == 2
    for secret in (SIGNER, other):
        event = verify_webhook(secret, dict(headers), body, clock=lambda: 1_764_460_800)
        assert event.data is not None
        assert (event.data.id, event.data.status) == ("run_1", RunStatus.COMPLETED)
