import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Client, Gate, Retry
from reteval.contract.comparisons import ComparisonRequest
from reteval.contract.gates import Floor
from reteval.contract.power import PowerRequest
from reteval.contract.runs import RescoreRequest, RetryRequest
from reteval.errors import (
    ConnectionFailedError,
    InvalidError,
    UnreadableResponseError,
    WaitTimeoutError,
)
from tests.unit.reteval.decisions import (
    a_comparison,
    a_pending_comparison,
    a_pending_gate,
    a_power_answer,
    a_verdict,
)
from tests.unit.reteval.documents import URL, Handler, Script, a_run, answer, problem

T = TypeVar("T")
Answers = Sequence[httpx.Response | Exception | Handler]
GATE = Gate(floors=(Floor(metric="mrr", at_least=0.5),))


class Clock:
    """A clock that moves when somebody sleeps on it, and a second with each look."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def time(self) -> float:
        """Return the time, a second later each time."""
        self.now += 1.0
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


def use(answers: Answers, work: Callable[[Client], T], clock: Clock | None = None) -> T:
    """Do some work with a client of a scripted service."""
    clock = clock or Clock()
    transport = httpx.MockTransport(Script(answers))
    with Client(
        URL,
        http=httpx.Client(transport=transport),
        retry=Retry(pauses_s=(1.0,), draw=lambda: 0.0),
        sleep=clock.sleep,
        clock=clock.time,
    ) as client:
        return work(client)


def use_async(answers: Answers, work: Callable[[AsyncClient], Awaitable[T]]) -> T:
    """Do the same work awaited."""

    async def sleep(_: float) -> None:
        pass

    async def whole() -> T:
        transport = httpx.MockTransport(Script(answers).answer_async)
        async with httpx.AsyncClient(transport=transport) as http:
            retry = Retry(pauses_s=(), draw=lambda: 0.0)
            return await work(AsyncClient(URL, http=http, retry=retry, sleep=sleep))

    return asyncio.run(whole())


def verdict_answer() -> httpx.Response:
    """Answer a verdict with its exit code."""
    return answer(a_verdict(), x_reteval_exit_code="1")


def test_compare_and_wait() -> None:
    """A comparison is asked for, polled to its end, and repeated when the connection breaks."""
    answers: Answers = [
        httpx.ConnectError("lost"),
        answer(a_pending_comparison(), 202),
        answer(a_pending_comparison()),
        answer(a_comparison()),
        answer(a_comparison()),
    ]

    def work(client: Client) -> object:
        first = client.compare(ComparisonRequest(baseline="run_0", candidate="run_1"), wait=5)
        return first, client.wait_comparison("cmp_1"), client.comparison("cmp_1", wait=3)

    expected = (a_pending_comparison(), a_comparison(), a_comparison())
    assert expected == use(answers, work)


def test_wait_for_a_comparison_gives_up() -> None:
    """The error holds the state last seen and says that it goes on."""
    with pytest.raises(WaitTimeoutError, match="'cmp_1' is running after 0 s; it goes on") as got:
        use(
            [answer(a_pending_comparison())],
            lambda client: client.wait_comparison("cmp_1", timeout_s=0),
        )
    assert a_pending_comparison() == got.value.pending


def test_gate_waits_for_its_verdict() -> None:
    """A gate that waits for something is put again, no faster than suggested."""
    clock = Clock()
    answers = [
        answer(a_pending_gate(), 202),
        httpx.Response(503),
        verdict_answer(),
    ]
    found = use(answers, lambda client: client.gate(GATE, run="run_1", baseline="run_0"), clock)
    assert a_verdict() == found
    assert [1.0] == clock.slept


def test_gate_pauses_between_quick_answers() -> None:
    """Where the service did not hold the answer, the client paces itself."""
    clock = Clock()
    slow = msgspec.structs.replace(a_pending_gate(), poll_after_s=5.0)
    answers = [answer(slow, 202), verdict_answer()]
    use(answers, lambda client: client.gate(GATE, run="run_1"), clock)
    assert [3.0] == clock.slept


def test_gate_gives_up_in_time() -> None:
    """The error names what the gate waited for."""
    with pytest.raises(WaitTimeoutError, match="waits for cmp_1 after 3 s") as got:
        use(
            [answer(a_pending_gate(), 202) for _ in range(9)],
            lambda client: client.gate(GATE, timeout_s=3),
        )
    assert a_pending_gate() == got.value.pending


@pytest.mark.parametrize(
    ("name", "media"),
    [
        ("gate.yaml", "application/yaml"),
        ("gate.YML", "application/yaml"),
        ("gate.json", "application/json"),
    ],
)
def test_gate_file_goes_as_it_is(tmp_path: Path, name: str, media: str) -> None:
    """The service reads the file; what is given beside it goes into the query."""
    path = tmp_path / name
    path.write_text("{floors: []}")
    service = Script([httpx.Response(200, content=b"<x/>", headers={"X-Reteval-Exit-Code": "4"})])
    with Client(URL, http=httpx.Client(transport=httpx.MockTransport(service))) as client:
        document = client.gate_document(
            path, "junit", run="run_1", baseline_label="main", require_conclusive=True
        )
    assert (b"<x/>", 4) == (document.body, document.exit_code)
    (request,) = service.requests
    assert (media, [b"{floors: []}"]) == (request.headers["content-type"], service.bodies)
    assert {
        "run": "run_1",
        "baseline_label": "main",
        "require_conclusive": "true",
        "format": "junit",
        "wait": "20",
    } == dict(request.url.params)


@pytest.mark.parametrize("code", [None, "", "2", "zero", "00"])
def test_verdict_without_a_known_exit_code(code: str | None) -> None:
    """An answer that does not say its exit code is no verdict, whatever it looks like."""
    sent = answer(a_verdict()) if code is None else answer(a_verdict(), x_reteval_exit_code=code)
    with pytest.raises(UnreadableResponseError, match="exit code"):
        use([sent], lambda client: client.gate(GATE))


def test_gate_that_is_refused() -> None:
    """Refusals and lost connections are errors, as everywhere."""
    with pytest.raises(InvalidError):
        use([problem(422, "invalid")], lambda client: client.gate({"floors": []}))
    lost = httpx.ConnectError("lost")
    with pytest.raises(ConnectionFailedError):
        use([lost, lost], lambda client: client.gate(GATE))


def test_power_and_rescore() -> None:
    """Questions go as structs or dicts."""
    answers = [answer(a_power_answer()), answer(a_run(), 202)]

    def work(client: Client) -> object:
        return client.power(PowerRequest(sigma=0.2)), client.rescore("run_0", {"metrics": ["map"]})

    assert (a_power_answer(), a_run()) == use(answers, work)


def test_retry_goes_with_or_without_changes() -> None:
    """A retry needs no body of the caller's."""

    def work(client: Client) -> object:
        return client.retry("run_0"), client.retry("run_0", RetryRequest(label="again"))

    assert (a_run(), a_run()) == use([answer(a_run(), 202)] * 2, work)


def test_rescore_is_repeated_under_one_key() -> None:
    """Two rescores would make two runs: the repetition has the key of the first."""
    keys: list[str] = []

    def lose(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        raise httpx.ReadError("lost")

    def answer_again(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        return answer(a_run(), 202)

    made = use(
        [lose, answer_again],
        lambda client: client.rescore("run_0", RescoreRequest(metrics=["map"])),
    )
    assert made == a_run()
    assert len(set(keys)) == 1


def test_decisions_awaited() -> None:
    """The asynchronous client answers the same."""
    answers = [
        answer(a_pending_comparison(), 202),
        answer(a_comparison()),
        answer(a_comparison()),
        answer(a_pending_gate(), 202),
        verdict_answer(),
        verdict_answer(),
        answer(a_power_answer()),
        answer(a_run(), 202),
        answer(a_run(), 202),
    ]

    async def work(client: AsyncClient) -> list[object]:
        document = client.gate_document(GATE, "json")
        return [
            await client.compare({"baseline": "run_0", "candidate": "run_1"}),
            await client.wait_comparison("cmp_1"),
            await client.comparison("cmp_1"),
            await client.gate(GATE),
            (await document).exit_code,
            await client.power({"sigma": 0.2}),
            await client.rescore("run_0", {}),
            await client.retry("run_0"),
        ]

    assert [
        a_pending_comparison(),
        a_comparison(),
        a_comparison(),
        a_verdict(),
        1,
        a_power_answer(),
        a_run(),
        a_run(),
    ] == use_async(answers, work)
