"""What takes more than one exchange, written once for both clients.

A flow is a generator: it yields the next thing to do (send this call, pause so long) and is
sent what came of it. A client only sends and sleeps.
"""

import math
from collections.abc import Callable, Generator
from http import HTTPStatus
from itertools import count
from typing import Final, TypeVar, cast

from msgspec import Struct

from reteval._requests import Call, get_run
from reteval._responses import Reply, read
from reteval.contract.runs import Run
from reteval.errors import ConnectionFailedError, WaitTimeoutError
from reteval.retries import Retry

T = TypeVar("T")
LONGEST_POLL_S: Final = 20
USUAL_POLL_S: Final = 1.0


class Pause(Struct, frozen=True):
    """Sleep so many seconds."""

    seconds: float


Step = Call[object] | Pause
Answer = Reply | ConnectionFailedError | None
Flow = Generator[Step, Answer, T]


def exchange(call: Call[T], retry: Retry) -> Flow[T]:
    """Send a call, repeating it as `retry` says, and read its answer.

    Raises:
        RetevalError: what the last attempt came to.
    """
    for attempt in count():
        answer = cast("Reply | ConnectionFailedError", (yield call))
        pause = retry.pause_after(call, attempt, answer)
        if pause is None:
            break
        yield Pause(pause)
    if isinstance(answer, ConnectionFailedError):
        raise answer
    if call.method == "DELETE" and attempt and answer.status == HTTPStatus.NOT_FOUND:
        # An earlier attempt deleted it; only its answer was lost.
        answer = Reply(status=HTTPStatus.NO_CONTENT, headers=answer.headers, body=b"")
    return read(call, answer)


def await_end(
    run_id: str,
    *,
    retry: Retry,
    clock: Callable[[], float],
    timeout_s: float | None,
    on_progress: Callable[[Run], object] | None,
) -> Flow[Run]:
    """Poll a run until it ends, no faster than the service suggests, and return it.

    The service holds each answer until the run ends; with `on_progress`, only as long as it
    suggests between polls, so that progress is seen.

    Raises:
        WaitTimeoutError: it had not ended after `timeout_s`.
    """
    deadline = math.inf if timeout_s is None else clock() + timeout_s
    run = yield from exchange(get_run(run_id), retry)
    while True:
        if on_progress is not None:
            on_progress(run)
        if run.status.terminal:
            return run
        asked = clock()
        if asked >= deadline:
            raise WaitTimeoutError(run, timeout_s or 0.0)
        poll_s = run.poll_after_s or USUAL_POLL_S
        longest = LONGEST_POLL_S if on_progress is None else min(math.ceil(poll_s), LONGEST_POLL_S)
        hold = int(min(longest, deadline - asked))
        run = yield from exchange(get_run(run_id, hold or None), retry)
        early = min(poll_s, deadline - asked) - (clock() - asked)
        if early > 0 and not run.status.terminal:
            yield Pause(early)
