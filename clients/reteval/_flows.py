"""What takes more than one exchange, written once for both clients.

A flow is a generator: it yields the next thing to do (send this call, pause so long) and is
sent what came of it. A client only sends and sleeps.
"""

import math
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Generator, Mapping
from functools import partial
from http import HTTPStatus
from itertools import count
from typing import Final, TypeVar, cast

from msgspec import Struct

from reteval._requests import Call, with_key
from reteval._responses import Reply, read, read_verdict
from reteval.contract.comparisons import Comparison
from reteval.contract.gates import GatePending
from reteval.contract.judgings import Judging, JudgingJob
from reteval.contract.leakage import LeakageCheck
from reteval.contract.previews import Preview
from reteval.contract.probes import Probe
from reteval.contract.runs import Run
from reteval.contract.suites import SuiteRun
from reteval.errors import ConnectionFailedError, WaitTimeoutError, name_of
from reteval.retries import Retry

T = TypeVar("T")
J = TypeVar("J", Run, Comparison, Probe, LeakageCheck, SuiteRun, Judging, JudgingJob, Preview)
FIRST_WAIT_S: Final = 20
LONGEST_POLL_S: Final = 20


class Pace(Struct, frozen=True):
    """How often a flow asks again, and the clock it goes by."""

    retry: Retry
    clock: Callable[[], float]


class Pause(Struct, frozen=True):
    """Sleep so many seconds."""

    seconds: float


Step = Call[object] | Pause
Answer = Reply | ConnectionFailedError | None
Flow = Generator[Step, Answer, T]


def exchange(call: Call[T], retry: Retry) -> Flow[T]:
    """Send a call, repeating it as `retry` says, and read its answer.

    What makes something has one idempotency key for all its repetitions.

    Raises:
        RetevalError: what the last attempt came to.
    """
    found, _ = yield from exchange_whole(call, retry)
    return found


def exchange_whole(call: Call[T], retry: Retry) -> Flow[tuple[T, Mapping[str, str]]]:
    """Do as `exchange`; return the headers of the answer, too, their names in lower case."""
    if call.keyed:
        call = with_key(call, uuid.uuid4().hex)
    answer, attempt = yield from _settle(call, retry)
    if call.method == "DELETE" and attempt and answer.status == HTTPStatus.NOT_FOUND:
        # An earlier attempt deleted it; only its answer was lost.
        answer = Reply(status=HTTPStatus.NO_CONTENT, headers=answer.headers, body=b"")
    return read(call, answer), answer.headers


def await_end(
    get: Callable[[int | None], Call[J]],
    pace: Pace,
    timeout_s: float | None,
    on_progress: Callable[[J], object] | None = None,
) -> Flow[J]:
    """Poll until a job ends, no faster than suggested, and return it.

    `get` makes the call that is held so many seconds. The service holds each answer until the
    end; with `on_progress`, only as long as it suggests between polls, so that progress is seen.

    Raises:
        WaitTimeoutError: it had not ended after `timeout_s`.
        KeyboardInterrupt: as it came, with a note that names the job, which goes on.
    """
    deadline = math.inf if timeout_s is None else pace.clock() + timeout_s
    job = yield from exchange(get(None), pace.retry)
    for polls in count():
        if on_progress is not None:
            on_progress(job)
        if job.status.terminal:
            break
        asked = pace.clock()
        if asked >= deadline:
            raise WaitTimeoutError(job, timeout_s or 0.0)
        poll_s = pace.retry.poll_after(polls, job.poll_after_s)
        watched_s = LONGEST_POLL_S if on_progress is None else math.ceil(poll_s)
        hold = int(min(watched_s, LONGEST_POLL_S, deadline - asked))
        try:
            job = yield from exchange(get(hold or None), pace.retry)
            early = min(poll_s, deadline - asked) - (pace.clock() - asked)
            if early > 0 and not job.status.terminal:
                yield Pause(early)
        except (KeyboardInterrupt, CancelledError) as exc:
            exc.add_note(f"{name_of(job)} goes on: wait for it again, or cancel it")
            raise
    return job


def first_wait(timeout_s: float | None) -> int:
    """Return for how long the service may hold the first answer, in whole seconds."""
    return FIRST_WAIT_S if timeout_s is None else int(min(FIRST_WAIT_S, max(timeout_s, 0)))


def see_through(
    post: Callable[[int | None], Call[J]],
    get: Callable[[J, int | None], Call[J]],
    pace: Pace,
    timeout_s: float | None,
) -> Flow[J]:
    """Ask for a job, which the service may hold to its end, and return it at its end.

    `post` and `get` make calls that are held so many seconds.

    Raises:
        WaitTimeoutError: it had not ended after `timeout_s`.
    """
    asked = pace.clock()
    job = yield from exchange(post(first_wait(timeout_s) or None), pace.retry)
    if job.status.terminal:
        return job
    left = None if timeout_s is None else max(0.0, timeout_s - (pace.clock() - asked))
    return (yield from await_end(partial(get, job), pace, left))


def await_verdict(
    post: Callable[[int | None], Call[T]],
    pace: Pace,
    timeout_s: float | None,
) -> Flow[tuple[T, int]]:
    """Put a gate again and again until it has a verdict; return it with its exit code.

    Raises:
        WaitTimeoutError: runs or comparisons had not ended after `timeout_s`.
    """
    deadline = math.inf if timeout_s is None else pace.clock() + timeout_s
    while True:
        asked = pace.clock()
        call = post(int(min(LONGEST_POLL_S, max(0.0, deadline - asked))) or None)
        reply, _ = yield from _settle(call, pace.retry)
        verdict = read_verdict(call, reply)
        if not isinstance(verdict, GatePending):
            return verdict
        left = deadline - pace.clock()
        if left <= 0:
            raise WaitTimeoutError(verdict, timeout_s or 0.0)
        early = min(verdict.poll_after_s - (pace.clock() - asked), left)
        if early > 0:
            yield Pause(early)


def _settle(call: Call[T], retry: Retry) -> Flow[tuple[Reply, int]]:
    """Send a call until its answer is one to keep; return it and the number of repetitions."""
    for attempt in count():
        answer = cast("Reply | ConnectionFailedError", (yield call))
        pause = retry.pause_after(call, attempt, answer)
        if pause is None:
            break
        yield Pause(pause)
    if isinstance(answer, ConnectionFailedError):
        raise answer
    return answer, attempt
