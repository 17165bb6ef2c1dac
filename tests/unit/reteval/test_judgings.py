"""Judgings by both clients, against a scripted service."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Client, WaitTimeoutError
from reteval.contract.judge_prompts import NamedPrompt, PromptCatalogue, read_prompts
from reteval.contract.judgings import (
    JobKind,
    Judging,
    JudgingJob,
    JudgingPage,
    JudgingRequest,
    JudgingState,
)
from reteval.contract.pools import PoolCounts, PooledPair
from reteval.contract.runs import RunStatus
from reteval.contract.votes import (
    JudgedPair,
    JudgedPairPage,
    PairStatus,
    QueueReason,
    ReviewPage,
    ReviewRow,
    VotesAnswer,
)
from tests.unit.reteval.documents import PINNED, URL, Script, answer

JUDGING = Judging(
    id="jdg_1",
    name="help",
    state=JudgingState.POOLED,
    created_at="2026-11-30T00:00:00.000Z",
    test_set=PINNED,
    request=JudgingRequest(test_set="ts_1"),
    scale_max=3,
    pool=PoolCounts(queries=2, pairs=9),
)
BUSY = msgspec.structs.replace(JUDGING, state=JudgingState.JUDGING, poll_after_s=0.5)
JOB = JudgingJob(
    id="jst_1",
    judging="jdg_1",
    kind=JobKind.ESTIMATE,
    status=RunStatus.COMPLETED,
    created_at="2026-11-30T00:00:00.000Z",
)
WAITING = msgspec.structs.replace(JOB, status=RunStatus.QUEUED, poll_after_s=0.5)
PAIR = JudgedPair(
    query_id="q",
    query="text",
    pair=PooledPair(doc_id="d"),
    status=PairStatus.UNJUDGED,
    grade=None,
)
ROW = ReviewRow(query_id="q", query="text", doc_id="d", text="words", reason=QueueReason.AUDIT)
VOTED = VotesAnswer(written=1, reviewed=1)
JUDGE = {"model": {"base_url": "https://models.example/v1", "name": "m"}}
ASKED = {"test_set": "t"}
VOTE = {"query_id": "q", "doc_id": "d", "grade": 2}
PROMPTS = PromptCatalogue(
    prompts=tuple(NamedPrompt(prompt=one, hash=one.hash) for one in read_prompts().values())
)

CALLS: list[tuple[str, str, Any, Callable[[Any], Any], Any]] = [
    ("GET", "/v1/judge-prompts", PROMPTS, lambda c: c.judge_prompts(), None),
    (
        "POST",
        "/v1/judgings",
        JUDGING,
        lambda c: c.create_judging({"test_set": "t"}),
        {"test_set": "t"},
    ),
    ("GET", "/v1/judgings/jdg_1", JUDGING, lambda c: c.judging("jdg_1"), None),
    ("POST", "/v1/judgings/jdg_1/pool", BUSY, lambda c: c.pool_judging("jdg_1"), None),
    ("POST", "/v1/judgings/jdg_1/judge", BUSY, lambda c: c.judge("jdg_1", JUDGE), JUDGE),
    ("POST", "/v1/judgings/jdg_1/cancel", BUSY, lambda c: c.cancel_judging("jdg_1"), None),
    ("POST", "/v1/judgings/jdg_1/estimate", JOB, lambda c: c.estimate_judge("jdg_1", JUDGE), JUDGE),
    ("POST", "/v1/judgings/jdg_1/try", JOB, lambda c: c.try_judge("jdg_1", JUDGE), JUDGE),
    ("POST", "/v1/judgings/jdg_1/scorecard", JOB, lambda c: c.score_judge("jdg_1", JUDGE), JUDGE),
    ("POST", "/v1/judgings/jdg_1/measure", JOB, lambda c: c.measure_judging("jdg_1"), None),
    ("POST", "/v1/judgings/jdg_1/freeze", JUDGING, lambda c: c.freeze("jdg_1"), {}),
    (
        "POST",
        "/v1/judgings/jdg_1/votes",
        VOTED,
        lambda c: c.vote("jdg_1", [VOTE], rater="ada"),
        {"votes": [VOTE], "rater": "ada"},
    ),
]


@pytest.mark.parametrize(("method", "path", "told", "call", "sent"), CALLS)
@pytest.mark.parametrize("waits", [False, True])
def test_calls(
    method: str, path: str, told: Any, call: Callable[[Any], Any], sent: Any, *, waits: bool
) -> None:
    """Both clients send each request where it belongs and return the struct that comes."""
    script = Script([answer(told)])
    found = run(script, call, waits=waits)
    assert found == told
    (request,) = script.requests
    assert (request.method, request.url.path) == (method, path)
    if sent is not None:
        assert json.loads(script.bodies[0]) == sent
    if method == "POST" and not path.endswith("/cancel"):
        assert request.headers["idempotency-key"]


@pytest.mark.parametrize("waits", [False, True])
def test_lists(*, waits: bool) -> None:
    """Judgings, pairs and the queue come as rows of all pages."""
    pages: list[tuple[Any, Any, Callable[[Any], Any]]] = [
        (JudgingPage(items=(JUDGING,)), [JUDGING], lambda c: c.judgings()),
        (JudgedPairPage(items=(PAIR,)), [PAIR], lambda c: c.judged_pairs("jdg_1", status="failed")),
        (ReviewPage(items=(ROW,), scale_max=3), [ROW], lambda c: c.review("jdg_1", suggest=True)),
    ]
    for page, rows, call in pages:
        script = Script([answer(page)])
        assert run(script, call, waits=waits, rows=True) == rows


@pytest.mark.parametrize("waits", [False, True])
def test_table_goes_as_it_is(*, waits: bool) -> None:
    """The queue comes as bytes, and a table of votes is sent as CSV."""
    script = Script([httpx.Response(200, content=b"a,b\n"), answer(VOTED)])
    assert run(script, lambda c: c.export_review("jdg_1"), waits=waits) == b"a,b\n"
    assert "audit" not in script.requests[0].url.params
    script = Script([answer(ReviewPage(items=(ROW,), scale_max=3))])
    rows = run(script, lambda c: c.review("jdg_1", audit="queries"), waits=waits, rows=True)
    assert (rows, script.requests[0].url.params["audit"]) == ([ROW], "queries")
    script = Script([answer(VOTED)])
    assert run(script, lambda c: c.vote("jdg_1", b"x", rater="ada"), waits=waits) == VOTED
    (request,) = script.requests
    assert (request.headers["content-type"], request.url.query) == ("text/csv", b"rater=ada")
    assert script.bodies[0] == b"x"


@pytest.mark.parametrize("waits", [False, True])
def test_delete(*, waits: bool) -> None:
    """Nothing comes back."""
    script = Script([httpx.Response(204)])
    assert run(script, lambda c: c.delete_judging("jdg_1"), waits=waits) is None


@pytest.mark.parametrize("waits", [False, True])
def test_waiting_ends_when_no_job_is_at_work(*, waits: bool) -> None:
    """A judging is polled until it is not busy; a short job until it has ended."""
    script = Script([answer(BUSY), answer(BUSY), answer(JUDGING)])
    seen: list[Judging] = []
    found = run(script, lambda c: c.wait_judging("jdg_1", on_progress=seen.append), waits=waits)
    assert (found, [one.state for one in seen]) == (
        JUDGING,
        [JudgingState.JUDGING, JudgingState.JUDGING, JudgingState.POOLED],
    )
    script = Script([answer(WAITING), answer(WAITING), answer(JOB)])
    assert run(script, lambda c: c.measure_judging("jdg_1"), waits=waits) == JOB
    assert script.requests[-1].url.path == "/v1/judgings/jdg_1/jobs/jst_1"


def test_waiting_too_long_names_what_is_waited_for() -> None:
    """The error says whether it is a judging or a job."""
    for told, call, said in (
        (BUSY, lambda c: c.wait_judging("jdg_1", timeout_s=0), "judging 'jdg_1' is judging"),
        (WAITING, lambda c: c.measure_judging("jdg_1", timeout_s=0), "job 'jst_1' is queued"),
    ):
        with pytest.raises(WaitTimeoutError, match=said):
            run(Script([answer(told), answer(told)]), call, waits=False)


def run(script: Script, call: Callable[[Any], Any], *, waits: bool, rows: bool = False) -> Any:
    """Carry a call out with one of the clients."""
    if not waits:
        http = httpx.Client(transport=httpx.MockTransport(script))
        with Client(URL, http=http, sleep=lambda _seconds: None) as client:
            return list(call(client)) if rows else call(client)

    async def sleep(_seconds: float) -> None:
        """Lose no time."""

    async def work() -> Any:
        transport = httpx.MockTransport(script.answer_async)
        http = httpx.AsyncClient(transport=transport)
        async with AsyncClient(URL, http=http, sleep=sleep) as client:
            return [row async for row in call(client)] if rows else await call(client)

    return asyncio.run(work())
