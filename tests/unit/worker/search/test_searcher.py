"""Searches over real sockets: each query ends as exactly one outcome."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import Endpoint, Limits
from service.egress import Policy
from tests.evil import Evil, answer
from worker.search.pacing import Pacer
from worker.search.searcher import Searcher

POLICY = Policy.parse("loopback")
FAST = Limits(concurrency=4, timeout_s=0.5, max_response_bytes=1_000_000)
BUSY = answer(b"", status="503 Service Unavailable")


@pytest.fixture
async def evil() -> AsyncIterator[Evil]:
    """Start the server."""
    async with Evil() as server:
        yield server


class Naps:
    """Sleeps that only pass on paper."""

    def __init__(self) -> None:
        self.time = 0.0
        self.taken: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note the wait and let it be over."""
        self.time += seconds
        self.taken.append(seconds)

    def pacer(self) -> Pacer:
        """Make a pacer on this clock, its jitter at half the ceiling."""
        return Pacer(clock=lambda: self.time, sleep=self.sleep, jitter=lambda: 0.5)


def searcher(
    url: str, *, limits: Limits = FAST, depth: int = 10, naps: Naps | None = None, **fields: Any
) -> Searcher:
    """Make a searcher that wastes no time on waiting."""
    return Searcher(
        Endpoint(url=url, **fields),
        limits=limits,
        depth=depth,
        policy=POLICY,
        pacer=(naps or Naps()).pacer(),
        run_id="run_1",
    )


async def search(url: str, **fields: Any) -> Outcome:
    """Search once."""
    async with searcher(url, **fields) as opened:
        return await opened.search("how?")


async def search_all(opened: Searcher, texts: Sequence[str]) -> dict[int, Outcome]:
    """Search for all texts and return the outcomes by place."""
    outcomes: dict[int, Outcome] = {}
    await opened.search_all(enumerate(texts), emit=outcomes.__setitem__, stopping=lambda: False)
    return outcomes


async def test_search_when_the_endpoint_answers(evil: Evil) -> None:
    """An answer becomes ids and scores in the order delivered."""
    outcome = await search(evil.url("ok"))
    assert outcome.status is OutcomeStatus.OK
    assert outcome.ids == [f"d{i}" for i in range(10)]
    assert outcome.scores == [1 / (i + 1) for i in range(10)]
    assert (outcome.returned, outcome.attempts, outcome.http_status) == (10, 1, 200)
    assert outcome.latency_ms is not None
    assert outcome.latency_ms > 0
    received = evil.received[0]
    assert json.loads(received.body) == {"query": "how?", "top_k": 10}
    assert received.headers["accept-encoding"] == "identity"
    assert received.headers["x-reteval-run"] == "run_1"
    assert received.headers["user-agent"].startswith("reteval/")


async def test_search_when_the_list_is_empty(evil: Evil) -> None:
    """No hits are a valid answer."""
    outcome = await search(evil.url("empty-list"))
    assert (outcome.status, outcome.ids, outcome.returned) == (OutcomeStatus.OK_EMPTY, [], 0)


async def test_search_when_more_comes_than_was_asked(evil: Evil) -> None:
    """Longer answers are cut at the depth, and counted before."""
    outcome = await search(evil.url("depth"), depth=5)
    assert (outcome.ids, outcome.returned) == (["d0", "d1", "d2", "d3", "d4"], 8)
    assert outcome.scores is not None
    assert len(outcome.scores) == 5


async def test_search_when_ids_repeat_or_are_integers(evil: Evil) -> None:
    """Repeats are kept and integers become their decimal text."""
    assert (await search(evil.url("repeats"))).ids == ["a", "b", "a"]
    assert (await search(evil.url("ints"))).ids == ["7", "42"]
    assert (await search(evil.url("plain"))).ids == ["d0", "d1"]


@pytest.mark.parametrize(
    ("behaviour", "code", "status"),
    [
        ("html", FailureCode.INVALID_CONTENT_TYPE, 200),
        ("empty", FailureCode.INVALID_JSON, 200),
        ("no-content", FailureCode.INVALID_JSON, 204),
        ("half", FailureCode.INVALID_JSON, 200),
        ("half-close", FailureCode.INVALID_JSON, 200),
        ("envelope", FailureCode.SCHEMA, 200),
        ("no-id", FailureCode.SCHEMA, 200),
        ("redirect", FailureCode.REDIRECT_NOT_FOLLOWED, 302),
        ("unauthorized", FailureCode.ENDPOINT_AUTH, 401),
        ("forbidden", FailureCode.ENDPOINT_AUTH, 403),
        ("not-found", FailureCode.HTTP_4XX, 404),
        ("gzip", FailureCode.ENCODING_NOT_ALLOWED, 200),
        ("endless", FailureCode.RESPONSE_TOO_LARGE, None),
        ("garbage", FailureCode.BAD_HTTP, None),
    ],
)
async def test_search_when_another_attempt_is_useless(
    evil: Evil, behaviour: str, code: FailureCode, status: int | None
) -> None:
    """Failures that say the same thing every time are not sent again."""
    outcome = await search(evil.url(behaviour))
    assert (outcome.status, outcome.code, outcome.attempts) == (OutcomeStatus.FAILED, code, 1)
    assert outcome.http_status == status
    assert outcome.detail
    assert len(evil.received) == 1


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("unavailable", FailureCode.HTTP_5XX),
        ("drop", FailureCode.RESET),
        ("reset", FailureCode.TRUNCATED),
        ("truncated", FailureCode.TRUNCATED),
        ("hang", FailureCode.TIMEOUT),
    ],
)
async def test_search_when_every_attempt_fails(
    evil: Evil, behaviour: str, code: FailureCode
) -> None:
    """Failures that may pass are tried one and `retries` times, with growing waits between."""
    naps = Naps()
    outcome = await search(evil.url(behaviour), naps=naps, limits=Limits(timeout_s=0.3))
    assert (outcome.status, outcome.code, outcome.attempts) == (OutcomeStatus.FAILED, code, 3)
    assert len(evil.received) == 3
    assert naps.taken == [0.25, 0.5]


async def test_search_when_a_later_attempt_succeeds(evil: Evil) -> None:
    """The attempt that answers decides, and the others are counted."""
    outcome = await search(evil.url("drop-odd"))
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 2)
    evil.script = [BUSY, BUSY]
    outcome = await search(evil.url("script"))
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 3)


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", [7.0]), ("0", []), ("1000000000", [30.0]), ("soon", [0.25])],
)
async def test_search_when_the_endpoint_limits_the_rate(
    evil: Evil, asked: str, waited: list[float]
) -> None:
    """`Retry-After` is honoured to its cap; what cannot be read counts as not said."""
    limited = answer(b"", status="429 Too Many Requests", extra=f"Retry-After: {asked}\r\n")
    naps = Naps()
    evil.script = [limited]
    outcome = await search(evil.url("script"), naps=naps)
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 2)
    assert naps.taken == waited
    evil.script = [limited] * 3
    outcome = await search(evil.url("script"))
    assert (outcome.code, outcome.http_status) == (FailureCode.RATE_LIMITED, 429)


async def test_search_when_the_endpoint_quotes_our_headers(evil: Evil) -> None:
    """No header value reaches the outcome."""
    headers = {"Authorization": "Bearer s3cret-token", "X-Api-Key": "abcd1234"}
    outcome = await search(evil.url("echo"), headers=headers)
    assert outcome.code is FailureCode.HTTP_4XX
    assert "***" in outcome.detail
    assert "s3cret" not in outcome.detail
    assert "abcd1234" not in outcome.detail
    assert evil.received[0].headers["authorization"] == "Bearer s3cret-token"


async def test_search_when_a_redirect_holds_credentials(evil: Evil) -> None:
    """Where a redirect leads is told without user, password and query."""
    outcome = await search(evil.url("redirect"))
    assert outcome.detail == "HTTP 302 to http://169.254.169.254/x"


async def test_search_when_the_policy_refuses_the_url() -> None:
    """A refused URL is `blocked` for every query, without a retry."""
    async with searcher("http://10.0.0.1/") as opened:
        outcomes = await search_all(opened, ["a", "b"])
    assert {outcome.code for outcome in outcomes.values()} == {FailureCode.BLOCKED}
    assert {outcome.attempts for outcome in outcomes.values()} == {1}


async def test_search_when_the_endpoint_is_described() -> None:
    """Mapping and template work together."""
    async with Evil(script=[answer({"hits": {"hits": [{"_id": 3}, {"_id": "x"}]}})]) as evil:
        outcome = await search(
            evil.url("script"), body={"match": "{{query}}", "size": "{{k}}"}, hits="hits.hits"
        )
        assert json.loads(evil.received[0].body) == {"match": "how?", "size": 10}
    assert outcome.ids == ["3", "x"]


async def test_search_all_when_everything_answers(evil: Evil) -> None:
    """Each request has one outcome, started in order, at most `concurrency` at a time."""
    texts = [f"query {n}" for n in range(50)]
    async with searcher(evil.url("ok")) as opened:
        outcomes = await search_all(opened, texts)
    assert sorted(outcomes) == list(range(50))
    assert evil.connections <= 4
    sent = [json.loads(received.body)["query"] for received in evil.received]
    places = [texts.index(text) for text in sent]
    assert max(abs(place - turn) for turn, place in enumerate(places)) < 4


async def test_search_all_when_some_fail() -> None:
    """A burst of failures costs attempts, not outcomes."""
    async with Evil(script=[BUSY] * 6) as evil, searcher(evil.url("script")) as opened:
        outcomes = await search_all(opened, ["q"] * 20)
        assert {outcome.status for outcome in outcomes.values()} == {OutcomeStatus.OK}
        assert sum(outcome.attempts for outcome in outcomes.values()) == 26
        assert len(evil.received) == 26


async def test_search_all_when_it_is_stopped(evil: Evil) -> None:
    """Nothing is started after the stop; what was not sent is not emitted."""
    outcomes: dict[int, Outcome] = {}
    async with searcher(evil.url("ok")) as opened:
        await opened.search_all(
            ((n, "q") for n in range(1_000)),
            emit=outcomes.__setitem__,
            stopping=lambda: len(outcomes) >= 10,
        )
    assert 10 <= len(outcomes) < 20
    assert len(evil.received) == len(outcomes)


async def test_search_all_when_a_stop_finds_requests_hanging(evil: Evil) -> None:
    """Requests in flight are cut soon after the stop, and not emitted."""
    outcomes: dict[int, Outcome] = {}
    limits = Limits(concurrency=3, timeout_s=60)
    async with searcher(evil.url("hang"), limits=limits) as opened:
        await asyncio.wait_for(
            opened.search_all(
                ((n, "q") for n in range(9)),
                emit=outcomes.__setitem__,
                stopping=lambda: len(evil.received) >= 3,
            ),
            timeout=20,
        )
    assert outcomes == {}
    assert len(evil.received) == 3


async def test_search_all_when_a_stop_finds_requests_ending(evil: Evil) -> None:
    """Requests that end soon after the stop are emitted."""
    outcomes: dict[int, Outcome] = {}
    async with searcher(evil.url("pause")) as opened:
        await opened.search_all(
            ((n, "q") for n in range(9)),
            emit=outcomes.__setitem__,
            stopping=lambda: len(evil.received) >= 4,
        )
    assert sorted(outcomes) == [0, 1, 2, 3]


@pytest.mark.parametrize("stopped", [False, True])
async def test_search_all_when_emit_fails(evil: Evil, stopped: bool) -> None:  # noqa: FBT001
    """What `emit` raises ends every lane and is raised."""
    emitted: list[int] = []

    def emit(place: int, outcome: Outcome) -> None:
        del outcome
        emitted.append(place)
        raise LookupError("lost the lease")

    async with searcher(evil.url("pause")) as opened:
        with pytest.raises(LookupError, match="lost the lease"):
            await opened.search_all(
                ((n, "q") for n in range(100)),
                emit=emit,
                stopping=lambda: stopped and len(evil.received) >= 4,
            )
    assert len(emitted) <= 4


async def test_search_when_the_description_is_wrong() -> None:
    """What cannot be compiled is told at once."""
    with pytest.raises(ValueError, match="not both"):
        searcher("http://127.0.0.1/", body={"q": "{{query}}"}, form={"q": "{{query}}"})
