"""The commands about webhooks, against a scripted service."""

import json

import httpx
import msgspec
import pytest

from reteval.contract.webhooks import (
    Attempt,
    DeliveryPage,
    DeliveryState,
    RunEvent,
    WebhookPage,
    WebhookSecret,
)
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import answer
from tests.unit.reteval.test_webhooks import DELIVERY, MADE, WEBHOOK

OFF = msgspec.structs.replace(WEBHOOK, enabled=False)


def test_add_prints_the_secret_once() -> None:
    """What is not given is left to the defaults."""
    code, out, _, service = command("webhooks", "add", WEBHOOK.url, answers=[answer(MADE)])
    assert code == 0
    assert out == f"wh_1\nsecret {MADE.secret} (not shown again: keep it)\n"
    assert json.loads(service.bodies[0])["events"] == list(RunEvent)


def test_add_with_filters_as_json() -> None:
    """Events, label and test set are sent; the document is all that is printed."""
    words = ["--event", "run.failed", "--label", "main", "--test-set", "docs", "--json"]
    _, out, _, service = command("webhooks", "add", WEBHOOK.url, *words, answers=[answer(MADE)])
    sent = json.loads(service.bodies[0])
    assert (sent["events"], sent["label"], sent["test_set"]) == (["run.failed"], "main", "docs")
    assert msgspec.json.decode(out, type=WebhookSecret) == MADE


def test_unknown_event_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The events that there are stand in the message."""
    with pytest.raises(SystemExit) as caught:
        command("webhooks", "add", "http://a/", "--event", "run.started", answers=[])
    assert caught.value.code == 2
    assert "run.completed_with_errors" in capsys.readouterr().err


def test_list_says_how_each_is() -> None:
    """On, failing, off, and why."""
    hooks = (
        WEBHOOK,
        msgspec.structs.replace(WEBHOOK, id="wh_2", failing_since="2026-01-01T00:00:00.000Z"),
        msgspec.structs.replace(OFF, id="wh_3", events=(RunEvent.FAILED,)),
        msgspec.structs.replace(OFF, id="wh_4", disabled_reason="the receiver answered 410"),
    )
    _, out, _, _ = command("webhooks", "list", answers=[answer(WebhookPage(items=hooks))])
    lines = out.splitlines()
    assert lines[1].split() == ["wh_1", "on", "all", WEBHOOK.url]
    assert "failing since 2026-01-01T00:00:00 " in lines[2]
    assert lines[3].split() == ["wh_3", "off", "run.failed", WEBHOOK.url]
    assert "off: the receiver answered 410" in lines[4]


def test_list_of_nothing_prints_nothing() -> None:
    """Neither a head nor an empty line."""
    assert command("webhooks", "list", answers=[answer(WebhookPage(items=()))])[1] == ""


@pytest.mark.parametrize(("word", "enabled"), [("on", True), ("off", False)])
def test_switching_changes_nothing_else(word: str, *, enabled: bool) -> None:
    """All that is known is sent back, but for the switch."""
    changed = msgspec.structs.replace(WEBHOOK, enabled=enabled)
    code, out, _, service = command(
        "webhooks", word, "wh_1", answers=[answer(WEBHOOK), answer(changed)]
    )
    assert (code, out) == (0, f"wh_1 is {word}\n")
    assert json.loads(service.bodies[1]) == {
        "url": WEBHOOK.url,
        "events": list(RunEvent),
        "label": "",
        "test_set": "",
        "description": "",
        "enabled": enabled,
        "format": "signed",
    }


def test_rotate_prints_the_new_secret() -> None:
    """With how long the old one lives."""
    _, out, _, service = command(
        "webhooks", "rotate", "wh_1", "--grace", "60", answers=[answer(MADE)]
    )
    assert MADE.secret in out
    assert json.loads(service.bodies[0]) == {"grace_s": 60}


def test_ping_and_replay_say_where_to_look() -> None:
    """Both are queued, not done."""
    for words in (["ping", "wh_1"], ["replay", "wh_1", "evt_1"]):
        code, out, _, _ = command("webhooks", *words, answers=[answer(DELIVERY, 202)])
        assert (code, out) == (0, "evt_1 queued\nnext: reteval webhooks log wh_1\n")


def test_log_shows_the_last_attempt() -> None:
    """Its time with the status, or with what was wrong."""
    at = "2026-01-01T00:00:00.000Z"
    made = msgspec.structs.replace(
        DELIVERY,
        id="evt_2",
        state=DeliveryState.DELIVERED,
        attempts=(Attempt(at=at, error="no connection"), Attempt(at=at, status=204)),
    )
    broken = msgspec.structs.replace(made, id="evt_3", attempts=made.attempts[:1])
    page = DeliveryPage(items=(DELIVERY, made, broken))
    _, out, _, _ = command("webhooks", "log", "wh_1", answers=[answer(page)])
    lines = out.splitlines()
    assert lines[1].split() == ["evt_1", "ping", "pending", "0"]
    assert lines[2].split() == ["evt_2", "ping", "delivered", "2", "2026-01-01T00:00:00", "204"]
    assert lines[3].endswith("no connection")
    _, out, _, _ = command("webhooks", "log", "wh_1", "--json", answers=[answer(page)])
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["evt_1", "evt_2", "evt_3"]


def test_remove_says_nothing() -> None:
    """The exit code is the answer."""
    assert command("webhooks", "remove", "wh_1", answers=[httpx.Response(204)])[:2] == (0, "")
