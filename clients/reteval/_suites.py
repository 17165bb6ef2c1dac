"""What both clients offer about parts and groups of test sets: splits and suites."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from reteval import _suite_calls
from reteval._async_sender import AsyncSender
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval.contract.splits import SplitReport, SplitRequest
from reteval.contract.suites import (
    Suite,
    SuiteRequest,
    SuiteRun,
    SuiteRunHead,
    SuiteRunRequest,
)

Body = SuiteRunRequest | Mapping[str, Any]


class Suites(Sender):
    """A sender that knows the routes of splits and suites."""

    def split(
        self,
        test_set: str,
        *,
        holdout: float = 0.3,
        seed: int = 0,
        stratify_by: Sequence[str] = (),
    ) -> SplitReport:
        """Make a version of a test set that is divided into `tune` and `holdout`.

        `stratify_by` names what both are to have alike: `source`, `length`, `relevant`, `tag:NAME`.
        """
        asked = SplitRequest(holdout=holdout, seed=seed, stratify_by=list(stratify_by))
        return self._exchange(_suite_calls.post_split(test_set, asked))

    def create_suite(self, request: SuiteRequest | Mapping[str, Any]) -> Suite:
        """Join test sets to be run as one; `ConflictError` where the name is in use."""
        return self._exchange(_suite_calls.post_suite(request))

    def suites(self, *, limit: int | None = None) -> Rows[Suite]:
        """Iterate over suites, newest first; `limit` is the size of a page."""
        return self._rows(_suite_calls.get_suites(limit))

    def suite(self, id_or_name: str) -> Suite:
        """Return a suite."""
        return self._exchange(_suite_calls.get_suite(id_or_name))

    def delete_suite(self, id_or_name: str) -> None:
        """Delete a suite; its runs stay."""
        self._exchange(_suite_calls.delete_suite(id_or_name))

    def run_suite(
        self, id_or_name: str, request: Body, *, idempotency_key: str | None = None
    ) -> SuiteRun:
        """Start a run over each set of a suite; the body is that of `run` without a test set."""
        return self._exchange(_suite_calls.post_suite_run(id_or_name, request, idempotency_key))

    def suite_runs(self, id_or_name: str, *, limit: int | None = None) -> Rows[SuiteRunHead]:
        """Iterate over the runs over a suite, newest first."""
        return self._rows(_suite_calls.get_suite_runs(id_or_name, limit))

    def suite_run(self, suite_run_id: str, *, wait: int | None = None) -> SuiteRun:
        """Return what a suite's run has brought; with `wait`, at its end or after so long."""
        return self._exchange(_suite_calls.get_suite_run(suite_run_id, wait))

    def wait_suite(
        self,
        suite_run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[SuiteRun], object] | None = None,
    ) -> SuiteRun:
        """Wait for all of a suite's run to end. `WaitTimeoutError` after `timeout_s`."""
        return self._await_end(
            partial(_suite_calls.get_suite_run, suite_run_id), timeout_s, on_progress
        )

    def cancel_suite(self, suite_run_id: str) -> SuiteRun:
        """Ask all runs of a suite's run to stop; `ConflictError` if all have ended."""
        return self._exchange(_suite_calls.cancel_suite_run(suite_run_id))


class AsyncSuites(AsyncSender):
    """`Suites` for asyncio."""

    async def split(
        self,
        test_set: str,
        *,
        holdout: float = 0.3,
        seed: int = 0,
        stratify_by: Sequence[str] = (),
    ) -> SplitReport:
        """Make a version of a test set that is divided into `tune` and `holdout`.

        `stratify_by` names what both are to have alike: `source`, `length`, `relevant`, `tag:NAME`.
        """
        asked = SplitRequest(holdout=holdout, seed=seed, stratify_by=list(stratify_by))
        return await self._exchange(_suite_calls.post_split(test_set, asked))

    async def create_suite(self, request: SuiteRequest | Mapping[str, Any]) -> Suite:
        """Join test sets to be run as one; `ConflictError` where the name is in use."""
        return await self._exchange(_suite_calls.post_suite(request))

    def suites(self, *, limit: int | None = None) -> AsyncRows[Suite]:
        """Iterate over suites, newest first; `limit` is the size of a page."""
        return self._rows(_suite_calls.get_suites(limit))

    async def suite(self, id_or_name: str) -> Suite:
        """Return a suite."""
        return await self._exchange(_suite_calls.get_suite(id_or_name))

    async def delete_suite(self, id_or_name: str) -> None:
        """Delete a suite; its runs stay."""
        await self._exchange(_suite_calls.delete_suite(id_or_name))

    async def run_suite(
        self, id_or_name: str, request: Body, *, idempotency_key: str | None = None
    ) -> SuiteRun:
        """Start a run over each set of a suite; the body is that of `run` without a test set."""
        call = _suite_calls.post_suite_run(id_or_name, request, idempotency_key)
        return await self._exchange(call)

    def suite_runs(self, id_or_name: str, *, limit: int | None = None) -> AsyncRows[SuiteRunHead]:
        """Iterate over the runs over a suite, newest first."""
        return self._rows(_suite_calls.get_suite_runs(id_or_name, limit))

    async def suite_run(self, suite_run_id: str, *, wait: int | None = None) -> SuiteRun:
        """Return what a suite's run has brought; with `wait`, at its end or after so long."""
        return await self._exchange(_suite_calls.get_suite_run(suite_run_id, wait))

    async def wait_suite(
        self,
        suite_run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[SuiteRun], object] | None = None,
    ) -> SuiteRun:
        """Wait for all of a suite's run to end. `WaitTimeoutError` after `timeout_s`."""
        return await self._await_end(
            partial(_suite_calls.get_suite_run, suite_run_id), timeout_s, on_progress
        )

    async def cancel_suite(self, suite_run_id: str) -> SuiteRun:
        """Ask all runs of a suite's run to stop; `ConflictError` if all have ended."""
        return await self._exchange(_suite_calls.cancel_suite_run(suite_run_id))
