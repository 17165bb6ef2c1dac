"""Probes by both clients: asked for once, waited for, given up in time."""

import inspect
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from reteval import AsyncClient, Client, Retry
from reteval.contract.endpoints import Endpoint
from reteval.contract.probes import IdOverlap, Probe, ProbeReport, ProbeRequest
from reteval.contract.runs import RunStatus
from reteval.errors import ConnectionFailedError, WaitTimeoutError
from tests.unit.reteval.documents import URL, Handler, Script, answer

REQUEST = {"endpoint": {"url": "http://search.example/q"}, "test_set": "docs"}


def a_probe(**changes: Any) -> Probe:
    """Build a probe that has ended."""
    given: dict[str, Any] = {
        "id": "prb_1",
        "status": RunStatus.COMPLETED,
        "created_at": "2026-11-30T00:00:00.000Z",
        "endpoint": Endpoint(url="http://search.example/q"),
        "report": a_probe_report(),
    }
    return Probe(**(given | changes))


def a_probe_report(**changes: Any) -> ProbeReport:
    """Build a report of nothing."""
    given: dict[str, Any] = {
        "answers": (),
        "overlap": IdOverlap(answers=0, overlap_q=None, overlap_id=None),
        "problems": (),
        "suggestions": (),
        "lists": (),
        "returned": None,
        "judged": None,
    }
    return ProbeReport(**(given | changes))


def queued() -> Probe:
    """Build a probe that waits."""
    return a_probe(status=RunStatus.QUEUED, report=None, poll_after_s=0.5)


async def ask(
    kind: str,
    service: Script,
    request: Any = REQUEST,
    *,
    times: Sequence[float] = (0.0,) * 99,
    **options: Any,
) -> Probe:
    """Probe with one of the clients."""
    clock = iter(times)
    retry = Retry(pauses_s=())
    if kind == "sync":
        plain = httpx.Client(transport=httpx.MockTransport(service))
        with Client(
            URL, http=plain, retry=retry, sleep=lambda _: None, clock=lambda: next(clock)
        ) as client:
            return client.probe(request, **options)

    async def rest(_: float) -> None:
        return None

    http = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
    opened = AsyncClient(URL, http=http, retry=retry, sleep=rest, clock=lambda: next(clock))
    async with opened as waiting:
        return await waiting.probe(request, **options)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_probe_that_ends_at_once_is_one_exchange(kind: str) -> None:
    """The service holds the answer; nothing is asked again."""
    service = Script([answer(a_probe())])
    probe = await ask(kind, service, ProbeRequest(endpoint=Endpoint(url="http://a/")))
    assert probe.report is not None
    (sent,) = service.requests
    assert (sent.method, sent.url.path, sent.url.params["wait"]) == ("POST", "/v1/probes", "20")


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_probe_that_takes_longer_is_read_until_it_ends(kind: str) -> None:
    """What was accepted is polled under its id."""
    service = Script([answer(queued(), 202), answer(queued()), answer(a_probe())])
    probe = await ask(kind, service)
    assert probe.status is RunStatus.COMPLETED
    assert {request.url.path for request in service.requests[1:]} == {"/v1/probes/prb_1"}


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_probe_is_given_up_in_time(kind: str) -> None:
    """After the time given the last known state comes with the error."""
    service = Script([answer(queued(), 202), answer(queued())])
    with pytest.raises(WaitTimeoutError, match="probe 'prb_1' is queued after 0 s") as caught:
        await ask(kind, service, times=[0.0, 4.0, 4.0, 9.0, 9.0, 9.0], timeout_s=3)
    assert caught.value.pending == queued()
    assert service.requests[0].url.params["wait"] == "3"


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_probe_is_not_sent_twice(kind: str) -> None:
    """A lost answer may mean that the queries went out: they do not go out again."""
    failing: list[httpx.Response | Exception | Handler] = [httpx.ReadError("lost")]
    service = Script(failing)
    with pytest.raises(ConnectionFailedError):
        await ask(kind, service)
    assert len(service.requests) == 1


def test_both_clients_take_the_same() -> None:
    """The signatures agree."""
    plain = inspect.signature(Client.probe).parameters
    assert list(plain) == list(inspect.signature(AsyncClient.probe).parameters)
