"""What both clients offer about leakage."""

from collections.abc import AsyncIterator, Iterator

from reteval import _leakage_calls
from reteval._async_sender import AsyncSender
from reteval._leakage_calls import Asked
from reteval._sender import Sender
from reteval.contract.leakage import LeakageCheck, LeakedPair
from reteval.contract.leaks import LeakKind


class LeakageChecks(Sender):
    """A sender that can have test sets checked."""

    def check_leakage(self, request: Asked, *, timeout_s: float | None = None) -> LeakageCheck:
        """Check a test set against itself, lists, documents or a run, and return what was found.

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
        """
        return self._drive(
            _leakage_calls.run_check(
                request, retry=self._retry, clock=self._clock, timeout_s=timeout_s
            )
        )

    def leaked_pairs(
        self, check_id: str, *, kind: LeakKind | str | None = None, limit: int | None = None
    ) -> Iterator[LeakedPair]:
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
        return await self._drive(
            _leakage_calls.run_check(
                request, retry=self._retry, clock=self._clock, timeout_s=timeout_s
            )
        )

    def leaked_pairs(
        self, check_id: str, *, kind: LeakKind | str | None = None, limit: int | None = None
    ) -> AsyncIterator[LeakedPair]:
        """Iterate over the pairs of a check, gravest first; `limit` is the size of a page."""
        return self._rows(_leakage_calls.get_pairs(check_id, kind, limit))
