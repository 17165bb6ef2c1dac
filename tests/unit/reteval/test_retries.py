import msgspec
import pytest

from reteval import _run_calls
from reteval._responses import Reply
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry
from tests.unit.reteval.documents import problem

GET = _run_calls.get_run("run_1")
STEADY = Retry(pauses_s=(1.0, 2.0), retry_after_cap_s=30.0, draw=lambda: 0.0)


def a_reply(status: int, body: bytes = b"", **headers: str) -> Reply:
    """Return an answer; header names spell `-` as `_`."""
    return Reply(
        status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}, body=body
    )


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_pause_after_a_passing_failure(status: int) -> None:
    """Statuses that pass by themselves are worth as many repetitions as the schedule has."""
    pauses = [STEADY.pause_after(GET, attempt, a_reply(status)) for attempt in range(3)]
    assert [1.0, 2.0, None] == pauses


@pytest.mark.parametrize("status", [200, 204, 304, 400, 401, 404, 409, 422, 500, 501, 507])
def test_pause_after_an_answer_that_stays(status: int) -> None:
    """Answers that would come again are final."""
    assert STEADY.pause_after(GET, 0, a_reply(status)) is None


def test_pause_after_a_lost_connection() -> None:
    """A connection that failed is tried again."""
    assert STEADY.pause_after(GET, 1, ConnectionFailedError("refused")) == 2.0


def test_pause_after_a_call_that_must_not_be_repeated() -> None:
    """A call that is not marked repeatable is sent once."""
    once = msgspec.structs.replace(GET, repeatable=False)
    assert STEADY.pause_after(once, 0, ConnectionFailedError("refused")) is None


def test_pause_after_its_own_copy_is_in_progress() -> None:
    """A repeated POST that meets its first copy waits for it; any other conflict is final."""
    own = problem(409, "idempotency_conflict").content
    other = problem(409, "not_terminal").content
    pauses = [STEADY.pause_after(GET, 0, a_reply(409, body)) for body in (own, other)]
    assert [1.0, None] == pauses


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7.0), ("0", 1.0), ("9999", 30.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 1.0), ("²", 1.0)],
)
def test_pause_after_retry_after(text: str, expected: float) -> None:
    """`Retry-After` in seconds lengthens the pause up to the cap, and never shortens it."""
    assert expected == STEADY.pause_after(GET, 0, a_reply(503, retry_after=text))


def test_pause_after_is_spread() -> None:
    """Chance cuts a pause by up to half, never lengthens it."""
    drawn = [
        Retry(pauses_s=(1.0,), draw=lambda value=value: value).pause_after(GET, 0, a_reply(503))  # type: ignore[misc]
        for value in (0.0, 0.5, 1.0)
    ]
    assert [1.0, 0.75, 0.5] == drawn


@pytest.mark.parametrize(
    ("draw", "suggested_s", "pauses"),
    [
        (0.0, None, [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]),
        (1.0, None, [0.25, 0.5, 1.0, 2.0, 2.5, 2.5]),
        (0.0, 2.0, [2.0] * 6),
        (1.0, 2.0, [2.5] * 6),
    ],
)
def test_looks_at_a_job_grow_apart(
    draw: float, suggested_s: float | None, pauses: list[float]
) -> None:
    """From half a second to five, or what the service suggests and never sooner."""
    retry = Retry(draw=lambda: draw)
    assert [retry.poll_after(polls, suggested_s) for polls in range(6)] == pauses
