"""Webhooks as a team uses them: the whole service, a receiver on a real socket, the client."""

import threading
import time
from collections.abc import Iterator

import pytest

from reteval import Client, SignatureError, WebhookEvent, verify_webhook
from reteval.contract.rankings import Ranking
from reteval.contract.runs import RunStatus
from reteval.contract.webhooks import Delivery, DeliveryState
from tests.receiver import Message, receive
from tests.service_process import run_service

TEST_SET = {"name": "hooked", "queries": [{"id": "q1", "query": "reset", "relevant_ids": ["d1"]}]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Serve with retries that follow at once, and upload a test set."""
    data = tmp_path_factory.mktemp("webhooks") / "data"
    with (
        run_service(data, RETEVAL_WEBHOOK_RETRIES_S="0,0.1,0.1") as service,
        Client(service.url) as client,
    ):
        client.upload(TEST_SET)
        yield client


def end_run(client: Client, label: str) -> str:
    """Score rankings, which calls nobody, and return the ended run's id."""
    run = client.score_rankings(
        {"test_set": "hooked", "label": label}, [Ranking(query_id="q1", ids=["d1"])]
    )
    assert client.wait(run.id, timeout_s=30).status is RunStatus.COMPLETED
    return run.id


def read(secret: str, message: Message) -> WebhookEvent:
    """Check a message as a receiver does, by the clock of this machine."""
    return verify_webhook(secret, message.headers, message.body)


def settled(client: Client, webhook_id: str, delivery_id: str) -> Delivery:
    """Wait until a delivery is done."""
    deadline = time.monotonic() + 30
    while (found := client.delivery(webhook_id, delivery_id)).state is DeliveryState.PENDING:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def test_ended_run_is_told_signed_and_after_errors_again(client: Client) -> None:
    """Two errors later the event is there, each attempt under one id, and the log has all."""
    with receive([500, 503]) as receiver:
        made = client.create_webhook({"url": receiver.url, "label": "told"})
        run_id = end_run(client, "told")
        end_run(client, "not told")
        messages = receiver.await_messages(3)
        events = [read(made.secret, message) for message in messages]
        delivery_id = messages[0].headers["webhook-id"]
        done = settled(client, made.id, delivery_id)
        client.delete_webhook(made.id)
    assert len(messages) == 3
    assert {event.type for event in events} == {"run.completed"}
    assert {event.data.id for event in events if event.data} == {run_id}
    assert {message.headers["webhook-id"] for message in messages} == {delivery_id}
    assert [one.status for one in done.attempts] == [500, 503, 204]
    assert done.run == run_id
    with pytest.raises(SignatureError):
        read("whsec_b3RoZXI=", messages[0])


def test_ping_replay_and_rotation(client: Client) -> None:
    """A replay has the id of the event; after a rotation both secrets fit, then the new one."""
    with receive() as receiver:
        made = client.create_webhook({"url": receiver.url})
        hook = made.id
        ping = client.ping_webhook(hook)
        first = receiver.await_messages(1)[0]
        assert read(made.secret, first).type == "ping"
        settled(client, hook, ping.id)
        rotated = client.rotate_webhook(hook)
        client.replay_delivery(hook, ping.id)
        second = receiver.await_messages(2)[1]
        assert second.headers["webhook-id"] == first.headers["webhook-id"] == ping.id
        assert second.body == first.body
        assert read(made.secret, second) == read(rotated.secret, second)
        assert len(settled(client, hook, ping.id).attempts) == 2
        final = client.rotate_webhook(hook, grace_s=0)
        client.replay_delivery(hook, ping.id)
        third = receiver.await_messages(3)[2]
        read(final.secret, third)
        for old in (made.secret, rotated.secret):
            with pytest.raises(SignatureError):
                read(old, third)
        assert [one.id for one in client.deliveries(hook)] == [ping.id]
        client.delete_webhook(hook)


def test_receiver_that_never_answers_well_has_failed(client: Client) -> None:
    """At the end of the schedule the delivery has failed; a replay begins it anew."""
    with receive([500] * 4) as receiver:
        hook = client.create_webhook({"url": receiver.url}).id
        ping = client.ping_webhook(hook)
        receiver.await_messages(4)
        failed = settled(client, hook, ping.id)
        assert failed.state is DeliveryState.FAILED
        assert client.webhook(hook).failing_since is not None
        client.replay_delivery(hook, ping.id)
        receiver.await_messages(5)
        assert settled(client, hook, ping.id).state is DeliveryState.DELIVERED
        assert client.webhook(hook).failing_since is None
        client.delete_webhook(hook)


def test_slow_receiver_keeps_no_job_waiting(client: Client) -> None:
    """Runs and interactive jobs begin and end while a receiver holds on to its message."""
    let_go = threading.Event()
    with receive(before=lambda: let_go.wait(20)) as receiver:
        hook = client.create_webhook({"url": receiver.url}).id
        client.ping_webhook(hook)
        receiver.await_messages(1)
        pair = {"baseline": end_run(client, "beside"), "candidate": end_run(client, "beside")}
        asked = client.compare(pair)
        assert client.wait_comparison(asked.id, timeout_s=30).status is RunStatus.COMPLETED
        assert len(receiver.messages) == 1
        let_go.set()
        receiver.await_messages(3)
        client.delete_webhook(hook)
