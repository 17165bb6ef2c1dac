"""The client for asyncio code: the same calls and flows as `reteval.client`, awaited."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any, TypeVar, Unpack

from reteval import _flows, _local, _probes, _requests, _uploads
from reteval._building import AsyncBuilder
from reteval._exporting import AsyncExporter
from reteval._gates import GateDocument, GateSource, Held, gate_body, held_to
from reteval._judgings import AsyncJudgings
from reteval._keeping import AsyncKeeper
from reteval._leakage import AsyncLeakageChecks
from reteval._local import AsyncSearch, Rankings
from reteval._readiness import AsyncLooker
from reteval._suites import AsyncSuites
from reteval._uploads import Source, UploadOptions
from reteval._versions import AsyncVersions
from reteval._webhooks import AsyncWebhooks
from reteval.async_access import AsyncAccess
from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.gates import GateVerdict
from reteval.contract.history import Trend
from reteval.contract.imports import ImportPreview
from reteval.contract.outcomes import OutcomeRow, QueryRow, VariantRow
from reteval.contract.power import PowerAnswer, PowerRequest
from reteval.contract.probes import Probe, ProbeRequest
from reteval.contract.rankings import Ranking, RankingsHead
from reteval.contract.results import Results
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunRequest
from reteval.contract.testsets import Query, TestSet
from reteval.contract.unjudged import UnjudgedPair

T = TypeVar("T")


class AsyncClient(
    AsyncKeeper,
    AsyncAccess,
    AsyncBuilder,
    AsyncExporter,
    AsyncJudgings,
    AsyncLeakageChecks,
    AsyncLooker,
    AsyncSuites,
    AsyncVersions,
    AsyncWebhooks,
):
    """`Client` for asyncio: the same methods, awaited, and lists iterated with `async for`.

    `http` is an `httpx.AsyncClient` of your own; the other arguments are those of `Client`.
    """

    async def upload(
        self, source: Source, *more: str | os.PathLike[str], **options: Unpack[UploadOptions]
    ) -> TestSet:
        """Upload a test set or files, as `Client.upload` does."""
        return await self._exchange(await asyncio.to_thread(_uploads.upload, source, options, more))

    async def preview_upload(
        self, source: Source, *more: str | os.PathLike[str], **options: Unpack[UploadOptions]
    ) -> ImportPreview:
        """Tell what `upload` would make of the same, storing nothing."""
        call = await asyncio.to_thread(_uploads.upload, source, options, more)
        return await self._exchange(_uploads.preview(call))

    async def upload_trec(
        self,
        topics: str | os.PathLike[str],
        qrels: str | os.PathLike[str],
        **options: Unpack[UploadOptions],
    ) -> TestSet:
        """Upload a TREC topics file with its qrels."""
        call = await asyncio.to_thread(_uploads.upload_trec, topics, qrels, options)
        return await self._exchange(call)

    def test_sets(
        self, *, name: str | None = None, limit: int | None = None
    ) -> AsyncIterator[TestSet]:
        """Iterate over all test sets, or those of a name, newest first; `limit` is of a page."""
        return self._rows(_requests.get_test_sets(limit, name))

    async def test_set(self, id_or_name: str) -> TestSet:
        """Return a test set; of a name, its newest version."""
        return await self._exchange(_requests.get_test_set(id_or_name))

    def queries(self, id_or_name: str, *, limit: int | None = None) -> AsyncIterator[Query]:
        """Iterate over the queries of a test set in upload order."""
        return self._rows(_requests.get_queries(id_or_name, limit))

    async def delete_test_set(self, test_set_id: str) -> None:
        """Delete a test set; `ConflictError` while a run refers to it."""
        await self._exchange(_requests.delete_test_set(test_set_id))

    async def run(
        self, request: RunRequest | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Run:
        """Start a run and return it queued, as `Client.run` does."""
        return await self._exchange(_requests.post_run(request, idempotency_key))

    async def score_rankings(
        self, request: RankingsHead | Mapping[str, Any], rankings: Rankings
    ) -> Run:
        """Score rankings made elsewhere, as `Client.score_rankings` does."""
        return await self._exchange(_local.score_rankings(request, rankings))

    async def evaluate(
        self,
        search: AsyncSearch,
        test_set: str,
        *,
        k: int = 10,
        concurrency: int = 8,
        timeout_s: float | None = None,
        **options: Any,
    ) -> Results:
        """Evaluate a coroutine function of your own, as `Client.evaluate` does."""
        lanes = asyncio.Semaphore(concurrency)

        async def rank(query: Query) -> Ranking:
            async with lanes:
                return await _local.ask_async(search, query, k)

        queries = [query async for query in self.queries(test_set)]
        rankings = await asyncio.gather(*(rank(query) for query in queries))
        run = await self.score_rankings(_local.head_for(test_set, k, options), rankings)
        await self.wait(run.id, timeout_s=timeout_s)
        return await self.results(run.id)

    def runs(
        self,
        *,
        test_set: str | None = None,
        label: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Run]:
        """Iterate over runs, newest first; `limit` is the size of a page."""
        return self._rows(
            _requests.get_runs(test_set=test_set, label=label, status=status, limit=limit)
        )

    async def get(self, run_id: str, *, wait: int | None = None) -> Run:
        """Return a run's state; with `wait`, at its end or after so many seconds."""
        return await self._exchange(_requests.get_run(run_id, wait))

    async def wait(
        self,
        run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Run], object] | None = None,
    ) -> Run:
        """Wait for a run to end, as `Client.wait` does; `on_progress` is a plain function."""
        return await self._drive(
            _flows.await_end(
                partial(_requests.get_run, run_id),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
                on_progress=on_progress,
            )
        )

    async def cancel(self, run_id: str) -> Run:
        """Ask a run to stop; `ConflictError` if it has ended."""
        return await self._exchange(_requests.cancel_run(run_id))

    async def delete(self, run_id: str) -> None:
        """Delete a run with all it found; `ConflictError` while it goes on."""
        await self._exchange(_requests.delete_run(run_id))

    async def results(self, run_id: str) -> Results:
        """Return the report of a run; `ConflictError` until it has ended."""
        return await self._exchange(_requests.get_results(run_id))

    async def results_document(self, run_id: str) -> bytes:
        """Return the report of a run as the JSON document sent, to be kept as it is."""
        return await self._exchange(_requests.get_results_document(run_id))

    def query_rows(
        self,
        run_id: str,
        *,
        sort: str | None = None,
        slice_name: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[QueryRow]:
        """Iterate over the clean queries of a report, as `Client.query_rows` does."""
        return self._rows(
            _requests.get_query_rows(
                run_id, sort=sort, slice_name=slice_name, status=status, limit=limit
            )
        )

    def outcomes(self, run_id: str, *, limit: int | None = None) -> AsyncIterator[OutcomeRow]:
        """Iterate over what each request brought: the raw rankings."""
        return self._rows(_requests.get_outcomes(run_id, limit))

    def variants(
        self, run_id: str, *, kind: str | None = None, limit: int | None = None
    ) -> AsyncIterator[VariantRow]:
        """Iterate over the changed queries of a run and how they fared."""
        return self._rows(_requests.get_variants(run_id, kind, limit))

    async def history(self, test_set: str) -> list[dict[str, Any]]:
        """Return the runs of a test set, oldest first, each a flat dict of means."""
        return await self._exchange(_requests.get_history(test_set))

    async def trend(
        self,
        test_set: str,
        *,
        metric: str | None = None,
        label: str | None = None,
        limit: int | None = None,
    ) -> Trend:
        """Return how a metric went, a series for each test-set version and endpoint.

        Of a name, all its versions. No `metric`: the first one of the newest run with numbers.
        `limit` is the number of newest ended runs of each version.
        """
        return await self._exchange(
            _requests.get_trend(test_set, metric=metric, label=label, limit=limit)
        )

    def unjudged(self, test_set: str, *, limit: int | None = None) -> AsyncIterator[UnjudgedPair]:
        """Iterate over what to label next, most valuable first; `limit` is the size of a page."""
        return self._rows(_requests.get_unjudged(test_set, limit))

    async def export_unjudged(self, test_set: str) -> bytes:
        """Return what to label next as CSV, with an empty column `rating` to fill in."""
        return await self._exchange(_requests.get_unjudged_export(test_set))

    async def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip of run and qrels), `csv` or `jsonl`."""
        return await self._exchange(_requests.get_export(run_id, export_format))

    async def retry(
        self, run_id: str, request: RetryRequest | Mapping[str, Any] | None = None
    ) -> Run:
        """Send a run's unanswered requests again, in a child run that has all its answers."""
        return await self._exchange(_requests.retry_run(run_id, request))

    async def rescore(self, run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Run:
        """Score a run's stored rankings anew, as a child run; its endpoint is not called."""
        return await self._exchange(_requests.rescore_run(run_id, request))

    async def compare(
        self, request: ComparisonRequest | Mapping[str, Any], *, wait: int | None = None
    ) -> Comparison:
        """Compare two runs; with `wait`, at its end or after so many seconds."""
        return await self._exchange(_requests.post_comparison(request, wait))

    async def comparison(self, comparison_id: str, *, wait: int | None = None) -> Comparison:
        """Return a comparison's state, and its report once it has ended."""
        return await self._exchange(_requests.get_comparison(comparison_id, wait))

    async def wait_comparison(
        self, comparison_id: str, *, timeout_s: float | None = None
    ) -> Comparison:
        """Wait for a comparison to end and return it. `WaitTimeoutError` after `timeout_s`."""
        return await self._drive(
            _flows.await_end(
                partial(_requests.get_comparison, comparison_id),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
            )
        )

    async def gate(
        self, gate: GateSource, *, timeout_s: float | None = None, **held: Unpack[Held]
    ) -> GateVerdict:
        """Hold a run to a gate: a struct, a dict, or the path of a YAML or JSON file.

        Waits for runs and comparisons that have not ended, `WaitTimeoutError` after
        `timeout_s`. `held` goes before what the gate itself says.

        Raises:
            OSError: a file that cannot be read.
        """
        return (await self._await_verdict(gate, GateVerdict, held_to(held), timeout_s))[0]

    async def gate_document(
        self,
        gate: GateSource,
        gate_format: str,
        *,
        timeout_s: float | None = None,
        **held: Unpack[Held],
    ) -> GateDocument:
        """Do as `gate`; the verdict comes as `json`, `text`, `junit` or `markdown`."""
        return GateDocument(
            *await self._await_verdict(gate, bytes, held_to(held, gate_format), timeout_s)
        )

    async def probe(
        self, request: ProbeRequest | Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Probe:
        """Send up to five queries to an endpoint and return all that was seen of them."""
        return await self._drive(
            _probes.run_probe(request, retry=self._retry, clock=self._clock, timeout_s=timeout_s)
        )

    async def power(self, request: PowerRequest | Mapping[str, Any]) -> PowerAnswer:
        """Tell how many queries show a difference, from a sigma or from two runs."""
        return await self._exchange(_requests.post_power(request))

    async def _await_verdict(
        self, gate: GateSource, expect: type[T], params: dict[str, str], timeout_s: float | None
    ) -> tuple[T, int]:
        body = await asyncio.to_thread(gate_body, gate)
        return await self._drive(
            _flows.await_verdict(
                lambda wait: _requests.post_gate(body, expect, params, wait),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
            )
        )
