"""What both clients offer about leakage."""

from functools import partial

from reteval import _leakage_calls
from reteval._async_sender import AsyncSender
from reteval._leakage_calls import Asked
from reteval._requests import Call
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval.contract.leakage import LeakageCheck, LeakedPair
from reteval.contract.leaks import LeakKind


def _state_of(check: LeakageCheck, wait: int | None) -> Call[LeakageCheck]:
    return _leakage_calls.get_check(check.id, wait)


class LeakageChecks(Sender):
    """A sender that can have test sets checked."""

    def check_leakage(self, request: Asked, *, timeout_s: float | None = None) -> LeakageCheck:
        """Check a test set against itself, lists, documents or a run, and return what was found.

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
        """
        post = partial(_leakage_calls.post_check, request)
        return self._see_through(post, _state_of, timeout_s)

    def leakage_check(self, check_id: str, *, wait: int | None = None) -> LeakageCheck:
        """Return a check that was begun before; with `wait`, at its end or after so long."""
        return self._exchange(_leakage_calls.get_check(check_id, wait))

    def leaked_pairs(
        self, check_id: str, *, kind: LeakKind | str | None = None, limit: int | None = None
    ) -> Rows[LeakedPair]:
        """Iterate over the pairs of a check, gravest first; `limit` is the size of a page."""
        return self._rows(_leakage_calls.get_pairs(check_id, kind, limit))


class AsyncLeakageChecks(AsyncSender):
    """`LeakageChecks` for asyncio."""

    async def check_leakage(
        self, request: Asked, *, timeout_s: float | None = None
    ) -> LeakageCheck:
        """Check a test set against itself, lists, documents or a run, and return what was found.

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
        """
        post = partial(_leakage_calls.post_check, request)
        return await self._see_through(post, _state_of, timeout_s)

    async def leakage_check(self, check_id: str, *, wait: int | None = None) -> LeakageCheck:
        """Return a check that was begun before; with `wait`, at its end or after so long."""
        return await self._exchange(_leakage_calls.get_check(check_id, wait))

    def leaked_pairs(
        self, check_id: str, *, kind: LeakKind | str | None = None, limit: int | None = None
    ) -> AsyncRows[LeakedPair]:
        """Iterate over the pairs of a check, gravest first; `limit` is the size of a page."""
        return self._rows(_leakage_calls.get_pairs(check_id, kind, limit))
