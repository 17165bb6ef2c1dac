"""Many searches at once: lanes, stops and errors, over real sockets."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.runs import Limits
from tests.evil import Evil, answer
from tests.searching import searcher
from worker.search.searcher import Searcher
from worker.search.template import Ask

BUSY = answer(b"", status="503 Service Unavailable")


async def search_all(opened: Searcher, texts: Sequence[str]) -> dict[int, Outcome]:
    """Search for all texts and return the outcomes by place."""
    outcomes: dict[int, Outcome] = {}
    await opened.search_all(
        enumerate(Ask(text=text) for text in texts),
        emit=outcomes.__setitem__,
        stopping=lambda: False,
    )
    return outcomes


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
            ((n, Ask(text="q")) for n in range(1_000)),
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
                ((n, Ask(text="q")) for n in range(9)),
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
            ((n, Ask(text="q")) for n in range(9)),
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
                ((n, Ask(text="q")) for n in range(100)),
                emit=emit,
                stopping=lambda: stopped and len(evil.received) >= 4,
            )
    assert len(emitted) <= 4
