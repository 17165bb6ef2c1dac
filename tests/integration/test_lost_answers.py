"""Answers of a real service that are lost on their way: the client asks again, and one is made."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from reteval import Client, Retry, verify_webhook
from reteval.contract.rankings import Ranking
from tests.chaos import ChaosProxy, proxy_to
from tests.endpoint import Endpoint, serve_answers
from tests.receiver import receive

TEST_SET = {"name": "lost", "queries": [{"id": "q1", "query": "reset", "relevant_ids": ["d1"]}]}
RANKINGS = [Ranking(query_id="q1", ids=["d1"])]


@pytest.fixture
def proxy(service_url: str) -> Iterator[ChaosProxy]:
    """Stand between the client and the service."""
    with proxy_to(service_url) as opened:
        yield opened


@pytest.fixture
def lossy(proxy: ChaosProxy) -> Iterator[Client]:
    """Open a client that asks by way of the proxy."""
    url = f"http://127.0.0.1:{proxy.port}"
    with Client(url, retry=Retry(pauses_s=(0.05, 0.1, 0.2, 0.4))) as opened:
        yield opened


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """Serve an endpoint that answers one document."""
    with serve_answers(lambda _: (200, {"results": ["d1"]})) as served:
        yield served


@pytest.fixture
def run_id(client: Client) -> str:
    """Return a run that has ended."""
    client.upload(TEST_SET)
    run = client.score_rankings({"test_set": "lost"}, RANKINGS)
    client.wait(run.id, timeout_s=30)
    return run.id


Make = Callable[[Client, str, str], Any]
Listed = Callable[[Client, str], Sequence[Any]]


def list_runs(client: Client, _: str) -> Sequence[Any]:
    """Return all runs."""
    return list(client.runs())


CALLS: dict[str, tuple[Make, Listed]] = {
    "run": (
        lambda c, _, url: c.run({"test_set": "lost", "endpoint": {"url": url}}),
        list_runs,
    ),
    "rankings": (lambda c, _, __: c.score_rankings({"test_set": "lost"}, RANKINGS), list_runs),
    "rescoring": (lambda c, run, _: c.rescore(run, {"metrics": ["mrr"]}), list_runs),
    "key": (
        lambda c, _, __: c.create_key({"name": "lost", "scopes": ["runs:read"]}),
        lambda c, _: list(c.api_keys()),
    ),
    "link": (lambda c, run, _: c.share(run), lambda c, run: c.links(run)),
    "grant": (
        lambda c, run, _: c.grant({"to": "*", "run": run}),
        lambda c, _: c.grants(),
    ),
    "team": (
        lambda c, run, _: c.create_team({"id": run[4:].lower(), "name": "lost"}),
        lambda c, _: c.teams(),
    ),
    "webhook": (
        lambda c, _, url: c.create_webhook({"url": url}),
        lambda c, _: list(c.webhooks()),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_lost_answer_makes_one(
    client: Client,
    lossy: Client,
    proxy: ChaosProxy,
    endpoint: Endpoint,
    run_id: str,
    name: str,
) -> None:
    """The service made it and the connection broke: the repetition answers what was made."""
    make, listed = CALLS[name]
    before = {one.id for one in listed(client, run_id)}
    connections = proxy.accepted
    proxy.cut_after(0)
    made = make(lossy, run_id, endpoint.url)
    assert proxy.accepted - connections == 2
    assert {one.id for one in listed(client, run_id)} - before == {made.id}


def test_lost_secret_is_the_one_in_force(client: Client, lossy: Client, proxy: ChaosProxy) -> None:
    """After lost answers a rotated webhook has one new secret, and one ping was signed with it."""
    with receive() as receiver:
        hook = client.create_webhook({"url": receiver.url})
        proxy.cut_after(0)
        rotated = lossy.rotate_webhook(hook.id, grace_s=0)
        proxy.cut_after(0)
        ping = lossy.ping_webhook(hook.id)
        (message,) = receiver.await_messages(1)
    assert message.headers["webhook-id"] == ping.id
    assert verify_webhook(rotated.secret, message.headers, message.body).type == "ping"
    assert [one.id for one in client.deliveries(hook.id)] == [ping.id]


def test_lost_probe_is_sent_once(lossy: Client, proxy: ChaosProxy, endpoint: Endpoint) -> None:
    """The endpoint is asked once for a probe whose answer was lost."""
    proxy.cut_after(0)
    probe = lossy.probe({"endpoint": {"url": endpoint.url}, "queries": [{"query": "once"}]})
    assert probe.status.terminal
    assert endpoint.seen.count("once") == 1
