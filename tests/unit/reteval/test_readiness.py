"""The state of the service, through both clients against a scripted one."""

from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import msgspec
import pytest

from reteval.contract.readiness import Readiness, ReadinessStatus
from reteval.errors import ConnectionFailedError, ServerError
from tests.unit.reteval.documents import Script, answer, problem
from tests.unit.reteval.test_keeping import Calls, both

READY = Readiness(
    status=ReadinessStatus.READY, version="0.1.0", egress="public", findings=(), queues={}
)


@both
def test_state_comes_with_the_time(calls: Calls) -> None:
    """The answer and the moment it was given; None where no time, or none of its form, is told."""
    script = Script(
        [
            answer(READY, date="Mon, 30 Nov 2026 22:19:11 GMT"),
            answer(READY),
            answer(READY, date="yesterday"),
        ]
    )
    seen = [calls(script, lambda client: client.readiness()) for _ in range(3)]
    assert [one.readiness for one in seen] == [READY] * 3
    moment = datetime(2026, 11, 30, 22, 19, 11, tzinfo=UTC)
    assert [one.clock for one in seen] == [moment, None, None]
    assert script.requests[0].url.path == "/readyz"


@both
@pytest.mark.parametrize(
    ("fail", "expected"),
    [
        (lambda: httpx.ConnectError("refused"), ConnectionFailedError),
        (lambda: problem(503, "not_ready"), ServerError),
    ],
)
def test_state_is_asked_for_once(
    calls: Calls, fail: Callable[[], httpx.Response | Exception], expected: type[Exception]
) -> None:
    """Whoever looks wants to know how it is now: nothing is repeated."""
    script = Script([fail()])
    with pytest.raises(expected):
        calls(script, lambda client: client.readiness())
    assert len(script.requests) == 1


@both
def test_state_of_a_later_release(calls: Calls) -> None:
    """What a later service adds is only news."""
    document = {**msgspec.to_builtins(READY), "mood": "fine"}
    seen = calls(Script([answer(document)]), lambda client: client.readiness())
    assert seen.readiness == READY
