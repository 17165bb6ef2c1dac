"""When a call is worth repeating, and the pauses before that and between looks. Sends nothing."""

import random
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from reteval._requests import Call
from reteval._responses import Reply, problem_of
from reteval.contract.problems import ErrorCode
from reteval.errors import ConnectionFailedError

REPEATED: Final = frozenset({502, 503, 504})
TOO_MANY: Final = 429
CONFLICT: Final = 409
FIRST_POLL_S: Final = 0.5
LAST_POLL_S: Final = 5.0


class Retry(Struct, frozen=True, kw_only=True):
    """A schedule of pauses in seconds, one a repetition; empty repeats nothing.

    Each is cut by up to half at random, so that many clients don't return at once. A longer
    `Retry-After` goes before the schedule, up to `retry_after_cap_s`.

    >>> Retry(draw=lambda: 0.0).poll_after(0, suggested_s=None)
    0.5
    """

    pauses_s: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    retry_after_cap_s: float = 30.0
    draw: Callable[[], float] = random.random

    def pause_after(
        self, call: Call[object], attempt: int, answer: Reply | ConnectionFailedError
    ) -> float | None:
        """Return the seconds to pause before repeating; None: this answer is the last.

        `attempt` counts from 0. Nothing was done of a request that was one too many, so that any
        call may be repeated then; not where its turn comes later than the cap.
        """
        if attempt >= len(self.pauses_s):
            return None
        if isinstance(answer, Reply) and answer.status == TOO_MANY:
            if not self._frees_soon(answer):
                return None
        elif not call.repeatable or not _passing(answer):
            return None
        pause = self.pauses_s[attempt] * (1.0 - self.draw() / 2.0)
        if isinstance(answer, Reply):
            pause = max(pause, min(_retry_after_s(answer), self.retry_after_cap_s))
        return pause

    def poll_after(self, polls: int, suggested_s: float | None) -> float:
        """Return the seconds until a job is looked at again, after so many looks.

        What the service suggests, or up to a quarter more; else from half a second to five.
        """
        if suggested_s is not None:
            return suggested_s * (1.0 + self.draw() / 4.0)
        return min(FIRST_POLL_S * 2.0**polls, LAST_POLL_S) * (1.0 - self.draw() / 2.0)

    def _frees_soon(self, reply: Reply) -> bool:
        if "retry-after" in reply.headers:
            return _retry_after_s(reply) <= self.retry_after_cap_s
        problem = problem_of(reply)
        return problem is None or problem.code != ErrorCode.QUOTA_EXCEEDED


def _passing(answer: Reply | ConnectionFailedError) -> bool:
    if isinstance(answer, ConnectionFailedError) or answer.status in REPEATED:
        return True
    if answer.status != CONFLICT:
        return False
    # A repeated POST can overtake its first copy, which the service is still working on.
    problem = problem_of(answer)
    return problem is not None and problem.code == ErrorCode.IDEMPOTENCY_CONFLICT


def _retry_after_s(reply: Reply) -> float:
    text = reply.headers.get("retry-after", "")
    # The other form is a date, which a wrong clock turns into any pause: the schedule serves.
    return float(text) if text.isascii() and text.isdigit() else 0.0
