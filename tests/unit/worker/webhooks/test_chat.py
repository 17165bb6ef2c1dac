"""What a chat is sent: short, within its bounds, and nothing but text of what people wrote."""

import json
from typing import Any

import msgspec
import pytest

from reteval.contract.alerts import AlertNotice
from reteval.contract.gates import GateOutcome
from reteval.contract.webhooks import PING, WebhookFormat
from tests.unit.worker.webhooks.test_messages import DUE
from worker.webhooks.chat import MAX_HEAD, MAX_TEXT
from worker.webhooks.messages import write_body, write_headers

NOTICE = AlertNotice(
    id="al_1",
    name="search quality",
    verdict=GateOutcome.FAIL,
    sentence="1 of 2 rules does not hold.",
    rules=("mrr falls by at most 0.02: it fell by 0.09",),
    baseline="run_0",
    links={"self": "/v1/alerts/al_1"},
)
CHAT = msgspec.structs.replace(DUE, format=WebhookFormat.SLACK)


def said(**changes: Any) -> dict[str, Any]:
    """Return the message of a delivery."""
    message: dict[str, Any] = json.loads(write_body(msgspec.structs.replace(CHAT, **changes)))
    return message


def test_alert_says_what_does_not_hold_and_where_to_look() -> None:
    """Head, sentence, rules and the run, as Slack's incoming webhooks take them."""
    message = said(type="alert.failing", alert=NOTICE)
    assert message == {
        "text": "Failing: search quality",
        "blocks": [
            {
                "type": "header",
                "text": {"type": "plain_text", "text": "Failing: search quality", "emoji": False},
            },
            {
                "type": "section",
                "text": {
                    "type": "plain_text",
                    "text": "1 of 2 rules does not hold.\n"
                    "• mrr falls by at most 0.02: it fell by 0.09\n"
                    "run run_1 (main) over docs: completed\n"
                    "/v1/runs/run_1/results",
                    "emoji": False,
                },
            },
        ],
    }
    assert said(type="alert.recovered", alert=NOTICE)["text"] == "Recovered: search quality"


def test_ends_of_runs_and_pings_are_messages_too() -> None:
    """A run is named by its label, or its id; a ping says that it works."""
    assert said()["text"] == "Run completed: main"
    assert said(label="", status="completed_with_errors")["text"] == (
        "Run completed with errors: run_1"
    )
    ping = said(type=PING, run="", status="")
    assert (ping["text"], len(ping["blocks"])) == ("reteval can write here", 1)


@pytest.mark.parametrize("text", ["<!channel> & *bold*", "<https://evil.example|click>", "&lt;"])
def test_names_are_text(text: str) -> None:
    """Nobody is mentioned, nothing is linked: what has a meaning in a chat is escaped."""
    notice = msgspec.structs.replace(NOTICE, name=text, sentence=text, rules=(text,))
    body = write_body(
        msgspec.structs.replace(
            CHAT, type="alert.failing", alert=notice, label=text, test_set_name=text
        )
    ).decode()
    assert "<" not in body
    assert ">" not in body
    assert text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in body


def test_long_texts_are_cut_to_what_a_chat_takes() -> None:
    """Cut as they are sent, never within an escaped character."""
    notice = msgspec.structs.replace(NOTICE, name="<" * 200, rules=("&" * 5_000,))
    blocks = said(type="alert.failing", alert=notice)["blocks"]
    head, section = (block["text"]["text"] for block in blocks)
    assert len(head) <= MAX_HEAD
    assert head.endswith("&lt;…")
    assert len(section) <= MAX_TEXT
    assert section.endswith("&amp;…")


def test_chat_is_not_signed() -> None:
    """Its headers are those of any JSON."""
    assert set(write_headers(CHAT, b"{}", [])) == {
        "Content-Type",
        "Accept-Encoding",
        "User-Agent",
    }


def test_signed_event_carries_the_alert() -> None:
    """Beside the run, so that a receiver of earlier releases still reads that."""
    due = msgspec.structs.replace(DUE, type="alert.failing", alert=NOTICE)
    body = json.loads(write_body(due))
    assert (body["type"], body["data"]["id"], body["alert"]["id"]) == (
        "alert.failing",
        "run_1",
        "al_1",
    )
