"""Leakage checks by both clients: asked for once, waited for, paged through."""

import inspect
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Client, Retry
from reteval.contract.leakage import (
    DocumentOverlap,
    LeakageCheck,
    LeakageReport,
    LeakedPair,
    LeakedPairPage,
    LeakPlace,
    PairSide,
)
from reteval.contract.leaks import LeakKind
from reteval.contract.runs import RunStatus
from reteval.errors import WaitTimeoutError
from tests.unit.reteval.documents import URL, Script, answer

REQUEST = {"test_set": "docs", "against": {"texts": ["reset password"]}}
PAIR = LeakedPair(
    kind=LeakKind.NEAR,
    place=LeakPlace.AGAINST,
    query=PairSide(id="q1", text="reset my password"),
    other=PairSide(id="1", text="reset password"),
    similarity=0.75,
)


def a_leakage_report(**changes: Any) -> LeakageReport:
    """Build a report of nothing."""
    given: dict[str, Any] = {
        "test_set": "ts_1",
        "queries": 2,
        "leaked": 0,
        "share": 0.0,
        "within": {},
        "clusters": 0,
        "largest_cluster": 0,
        "splits": (),
        "documents": DocumentOverlap(
            compared=0, exempt=1, queries=0, share=None, kinds={}, reason="no_texts"
        ),
        "sources": {},
        "conflicts": (),
        "in_corpus": (),
        "ids_as_documents": (),
        "diagnostics": (),
        "listed": {},
        "pairs": (),
    }
    return LeakageReport(**(given | changes))


def a_check(**changes: Any) -> LeakageCheck:
    """Build a check that has ended."""
    given: dict[str, Any] = {
        "id": "lk_1",
        "status": RunStatus.COMPLETED,
        "created_at": "2026-11-30T00:00:00.000Z",
        "report": a_leakage_report(),
    }
    return LeakageCheck(**(given | changes))


def queued() -> LeakageCheck:
    """Build a check that waits."""
    return a_check(status=RunStatus.QUEUED, report=None, poll_after_s=0.5)


async def ask(
    kind: str, service: Script, *, times: Sequence[float] = (0.0,) * 99, **options: Any
) -> LeakageCheck:
    """Check with one of the clients."""
    clock = iter(times)
    retry = Retry(pauses_s=())
    if kind == "sync":
        plain = httpx.Client(transport=httpx.MockTransport(service))
        with Client(
            URL, http=plain, retry=retry, sleep=lambda _: None, clock=lambda: next(clock)
        ) as client:
            return client.check_leakage(REQUEST, **options)

    async def rest(_: float) -> None:
        return None

    http = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
    opened = AsyncClient(URL, http=http, retry=retry, sleep=rest, clock=lambda: next(clock))
    async with opened as waiting:
        return await waiting.check_leakage(REQUEST, **options)


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_check_is_waited_for(kind: str) -> None:
    """The service holds the first answer; what takes longer is polled under its id."""
    service = Script([answer(queued(), 202), answer(queued()), answer(a_check())])
    found = await ask(kind, service)
    assert found == a_check()
    first, *rest = service.requests
    assert (first.method, first.url.path) == ("POST", "/v1/leakage-checks")
    assert first.url.params["wait"] == "20"
    assert msgspec.json.decode(first.content) == REQUEST
    assert {request.url.path for request in rest} == {"/v1/leakage-checks/lk_1"}


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_check_is_given_up_in_time(kind: str) -> None:
    """After the time given the last known state comes with the error."""
    service = Script([answer(queued(), 202), answer(queued())])
    with pytest.raises(WaitTimeoutError, match="leakage check 'lk_1' is queued after 0 s"):
        await ask(kind, service, times=[0.0, 4.0, 4.0, 9.0, 9.0, 9.0], timeout_s=3)


async def test_pairs_are_paged_through() -> None:
    """Page after page, of one kind or of all, by both clients."""
    pages = [LeakedPairPage(items=(PAIR,), next_cursor="n"), LeakedPairPage(items=(PAIR,))]
    service = Script([answer(page) for page in pages])
    again = Script([answer(page) for page in pages])
    plain = httpx.Client(transport=httpx.MockTransport(service))
    with Client(URL, http=plain) as client:
        assert list(client.leaked_pairs("lk_1", kind=LeakKind.NEAR, limit=1)) == [PAIR] * 2
    http = httpx.AsyncClient(transport=httpx.MockTransport(again.answer_async))
    async with AsyncClient(URL, http=http) as waiting:
        assert [pair async for pair in waiting.leaked_pairs("lk_1")] == [PAIR] * 2
    asked = [dict(request.url.params) for request in (*service.requests, *again.requests)]
    assert asked == [
        {"kind": "near", "limit": "1"},
        {"kind": "near", "limit": "1", "cursor": "n"},
        {},
        {"cursor": "n"},
    ]


@pytest.mark.parametrize("name", ["check_leakage", "leaked_pairs"])
def test_both_clients_take_the_same(name: str) -> None:
    """The signatures agree."""
    plain = inspect.signature(getattr(Client, name)).parameters
    assert list(plain) == list(inspect.signature(getattr(AsyncClient, name)).parameters)
