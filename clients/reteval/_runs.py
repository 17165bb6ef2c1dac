"""What both clients offer about runs: start one, watch it, read what it found."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from reteval import _local, _run_calls
from reteval._async_sender import AsyncSender
from reteval._local import Rankings
from reteval._rows import AsyncOutcomes, AsyncRows, Outcomes, Rows
from reteval._sender import Sender
from reteval.contract.outcomes import QueryRow, VariantRow
from reteval.contract.rankings import RankingsHead
from reteval.contract.results import Results
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunRequest
from reteval.errors import checked


class Runs(Sender):
    """A sender that knows the routes of runs."""

    def run(
        self, request: RunRequest | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Run:
        """Start a run and return it queued.

        Repeating a call with the same `idempotency_key` answers the same run. Without one, each
        call has its own, as all that make something have: a lost answer makes no second run.
        """
        return self._exchange(_run_calls.post_run(request, idempotency_key))

    def score_rankings(self, request: RankingsHead | Mapping[str, Any], rankings: Rankings) -> Run:
        """Score rankings made elsewhere and return the run queued; nothing is called.

        `rankings` is the path of a TREC run, ranx JSON or JSON lines, or rows of `Ranking`.

        >>> from reteval.contract.rankings import Ranking
        >>> rows = [Ranking(query_id="q1", ids=["doc-1"]), Ranking(query_id="q2", error="timeout")]
        >>> client.wait(client.score_rankings({"test_set": test_set.id}, rows).id).status.value
        'completed_with_errors'

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_local.score_rankings(request, rankings))

    def runs(
        self,
        *,
        test_set: str | None = None,
        label: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Rows[Run]:
        """Iterate over runs, newest first; `limit` is the size of a page."""
        return self._rows(
            _run_calls.get_runs(test_set=test_set, label=label, status=status, limit=limit)
        )

    def get(self, run_id: str, *, wait: int | None = None) -> Run:
        """Return a run's state; with `wait`, at its end or after so many seconds."""
        return self._exchange(_run_calls.get_run(run_id, wait))

    def wait(
        self,
        run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Run], object] | None = None,
        check: bool = False,
    ) -> Run:
        """Wait for a run to end and return it, whatever its end was: look at `status`.

        `on_progress` is called with each state seen. An interruption by the keyboard leaves the
        run alone and names it: `wait` for it again, or `cancel` it.

        >>> client.wait(run.id, timeout_s=60, check=True).status.value
        'completed'

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
            RunFailedError: it failed or was cancelled, with `check` only.
        """
        run = self._await_end(partial(_run_calls.get_run, run_id), timeout_s, on_progress)
        return checked(run) if check else run

    def cancel(self, run_id: str) -> Run:
        """Ask a run to stop; `ConflictError` if it has ended."""
        return self._exchange(_run_calls.cancel_run(run_id))

    def delete(self, run_id: str) -> None:
        """Delete a run with all it found; `ConflictError` while it goes on."""
        self._exchange(_run_calls.delete_run(run_id))

    def retry(self, run_id: str, request: RetryRequest | Mapping[str, Any] | None = None) -> Run:
        """Send a run's unanswered requests again, in a child run that has all its answers."""
        return self._exchange(_run_calls.retry_run(run_id, request))

    def rescore(self, run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Run:
        """Score a run's stored rankings anew, as a child run; its endpoint is not called."""
        return self._exchange(_run_calls.rescore_run(run_id, request))

    def results(self, run_id: str) -> Results:
        """Return the report of a run; `ConflictError` until it has ended.

        >>> report = client.results(run.id)
        >>> report.metrics["mrr"].mean, report.metrics["mrr"].n
        (0.75, 2)
        >>> report.to_frame()["mean"].tolist()
        [0.75]
        """
        return self._exchange(_run_calls.get_results(run_id))

    def results_document(self, run_id: str) -> bytes:
        """Return the report of a run as the JSON document sent, to be kept as it is."""
        return self._exchange(_run_calls.get_results_document(run_id))

    def query_rows(
        self,
        run_id: str,
        *,
        sort: str | None = None,
        slice_name: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Rows[QueryRow]:
        """Iterate over the clean queries of a report.

        `sort` is a metric (worst first) or `-metric` (best first), `slice_name` like `tag:faq`.
        """
        return self._rows(
            _run_calls.get_query_rows(
                run_id, sort=sort, slice_name=slice_name, status=status, limit=limit
            )
        )

    def outcomes(self, run_id: str, *, limit: int | None = None) -> Outcomes:
        """Iterate over what each request brought: the raw rankings."""
        return Outcomes(self._pages(_run_calls.get_outcomes(run_id, limit)))

    def variants(
        self, run_id: str, *, kind: str | None = None, limit: int | None = None
    ) -> Rows[VariantRow]:
        """Iterate over the changed queries of a run and how they fared."""
        return self._rows(_run_calls.get_variants(run_id, kind, limit))

    def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip), `csv`, `jsonl`, `markdown` or `html` (one file)."""
        return self._exchange(_run_calls.get_export(run_id, export_format))


class AsyncRuns(AsyncSender):
    """`Runs` for asyncio."""

    async def run(
        self, request: RunRequest | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Run:
        """Start a run and return it queued, as `Client.run` does."""
        return await self._exchange(_run_calls.post_run(request, idempotency_key))

    async def score_rankings(
        self, request: RankingsHead | Mapping[str, Any], rankings: Rankings
    ) -> Run:
        """Score rankings made elsewhere, as `Client.score_rankings` does."""
        return await self._exchange(_local.score_rankings(request, rankings))

    def runs(
        self,
        *,
        test_set: str | None = None,
        label: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> AsyncRows[Run]:
        """Iterate over runs, newest first; `limit` is the size of a page."""
        return self._rows(
            _run_calls.get_runs(test_set=test_set, label=label, status=status, limit=limit)
        )

    async def get(self, run_id: str, *, wait: int | None = None) -> Run:
        """Return a run's state; with `wait`, at its end or after so many seconds."""
        return await self._exchange(_run_calls.get_run(run_id, wait))

    async def wait(
        self,
        run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Run], object] | None = None,
        check: bool = False,
    ) -> Run:
        """Wait for a run to end, as `Client.wait` does; `on_progress` is a plain function."""
        run = await self._await_end(partial(_run_calls.get_run, run_id), timeout_s, on_progress)
        return checked(run) if check else run

    async def cancel(self, run_id: str) -> Run:
        """Ask a run to stop; `ConflictError` if it has ended."""
        return await self._exchange(_run_calls.cancel_run(run_id))

    async def delete(self, run_id: str) -> None:
        """Delete a run with all it found; `ConflictError` while it goes on."""
        await self._exchange(_run_calls.delete_run(run_id))

    async def retry(
        self, run_id: str, request: RetryRequest | Mapping[str, Any] | None = None
    ) -> Run:
        """Send a run's unanswered requests again, in a child run that has all its answers."""
        return await self._exchange(_run_calls.retry_run(run_id, request))

    async def rescore(self, run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Run:
        """Score a run's stored rankings anew, as a child run; its endpoint is not called."""
        return await self._exchange(_run_calls.rescore_run(run_id, request))

    async def results(self, run_id: str) -> Results:
        """Return the report of a run; `ConflictError` until it has ended."""
        return await self._exchange(_run_calls.get_results(run_id))

    async def results_document(self, run_id: str) -> bytes:
        """Return the report of a run as the JSON document sent, to be kept as it is."""
        return await self._exchange(_run_calls.get_results_document(run_id))

    def query_rows(
        self,
        run_id: str,
        *,
        sort: str | None = None,
        slice_name: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> AsyncRows[QueryRow]:
        """Iterate over the clean queries of a report, as `Client.query_rows` does."""
        return self._rows(
            _run_calls.get_query_rows(
                run_id, sort=sort, slice_name=slice_name, status=status, limit=limit
            )
        )

    def outcomes(self, run_id: str, *, limit: int | None = None) -> AsyncOutcomes:
        """Iterate over what each request brought: the raw rankings."""
        return AsyncOutcomes(self._pages(_run_calls.get_outcomes(run_id, limit)))

    def variants(
        self, run_id: str, *, kind: str | None = None, limit: int | None = None
    ) -> AsyncRows[VariantRow]:
        """Iterate over the changed queries of a run and how they fared."""
        return self._rows(_run_calls.get_variants(run_id, kind, limit))

    async def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip), `csv`, `jsonl`, `markdown` or `html` (one file)."""
        return await self._exchange(_run_calls.get_export(run_id, export_format))
