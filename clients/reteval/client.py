"""The client for synchronous code: a thin sender over the calls and flows of this package."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar, Unpack

from reteval import _flows, _local, _probes, _requests, _uploads
from reteval._building import Builder
from reteval._exporting import Exporter
from reteval._gates import GateDocument, GateSource, Held, gate_body, held_to
from reteval._judgings import Judgings
from reteval._keeping import Keeper
from reteval._leakage import LeakageChecks
from reteval._local import Rankings, Search
from reteval._readiness import Looker
from reteval._suites import Suites
from reteval._uploads import Source, UploadOptions
from reteval._versions import Versions
from reteval._webhooks import Webhooks
from reteval.access import Access
from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.gates import GateVerdict
from reteval.contract.history import Trend
from reteval.contract.imports import ImportPreview
from reteval.contract.outcomes import OutcomeRow, QueryRow, VariantRow
from reteval.contract.power import PowerAnswer, PowerRequest
from reteval.contract.probes import Probe, ProbeRequest
from reteval.contract.rankings import RankingsHead
from reteval.contract.results import Results
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunRequest
from reteval.contract.testsets import Query, TestSet
from reteval.contract.unjudged import UnjudgedPair

T = TypeVar("T")


class Client(
    Keeper, Access, Builder, Exporter, Judgings, LeakageChecks, Looker, Suites, Versions, Webhooks
):
    """A connection to the service; use it as a context manager, or `close()` it.

    `url` and `api_key` default to the environment's `RETEVAL_URL` and `RETEVAL_API_KEY`, and
    those to the service on this machine. `http` is an `httpx.Client` of your own, for proxies
    and certificates; it stays open. `timeout_s` bounds each read and write of an exchange.
    May be shared between threads. Every method raises `RetevalError` (see `reteval.errors`).
    """

    def upload(
        self, source: Source, *more: str | os.PathLike[str], **options: Unpack[UploadOptions]
    ) -> TestSet:
        """Upload a test set: a struct, a dict, or the path of a file in any format.

        `more` are further files of the same set, such as judgments beside queries. One file is
        streamed from disk. `options` go before what the source itself says. The same content
        under the same name answers the same test set.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_uploads.upload(source, options, more))

    def preview_upload(
        self, source: Source, *more: str | os.PathLike[str], **options: Unpack[UploadOptions]
    ) -> ImportPreview:
        """Tell what `upload` would make of the same: formats, refused rows, warnings. Stores none.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_uploads.preview(_uploads.upload(source, options, more)))

    def upload_trec(
        self,
        topics: str | os.PathLike[str],
        qrels: str | os.PathLike[str],
        **options: Unpack[UploadOptions],
    ) -> TestSet:
        """Upload a TREC topics file with its qrels.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_uploads.upload_trec(topics, qrels, options))

    def test_sets(self, *, name: str | None = None, limit: int | None = None) -> Iterator[TestSet]:
        """Iterate over all test sets, or those of a name, newest first; `limit` is of a page."""
        return self._rows(_requests.get_test_sets(limit, name))

    def test_set(self, id_or_name: str) -> TestSet:
        """Return a test set; of a name, its newest version."""
        return self._exchange(_requests.get_test_set(id_or_name))

    def queries(self, id_or_name: str, *, limit: int | None = None) -> Iterator[Query]:
        """Iterate over the queries of a test set in upload order."""
        return self._rows(_requests.get_queries(id_or_name, limit))

    def delete_test_set(self, test_set_id: str) -> None:
        """Delete a test set; `ConflictError` while a run refers to it."""
        self._exchange(_requests.delete_test_set(test_set_id))

    def run(
        self, request: RunRequest | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Run:
        """Start a run and return it queued.

        Repeating a call with the same `idempotency_key` answers the same run. Without one, each
        call has its own, as all that make something have: a lost answer makes no second run.
        """
        return self._exchange(_requests.post_run(request, idempotency_key))

    def score_rankings(self, request: RankingsHead | Mapping[str, Any], rankings: Rankings) -> Run:
        """Score rankings made elsewhere and return the run queued; nothing is called.

        `rankings` is the path of a TREC run, ranx JSON or JSON lines, or rows of `Ranking`.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_local.score_rankings(request, rankings))

    def evaluate(
        self,
        search: Search,
        test_set: str,
        *,
        k: int = 10,
        concurrency: int = 8,
        timeout_s: float | None = None,
        **options: Any,
    ) -> Results:
        """Evaluate a function of your own: `search(query, k)` returns document ids, best first.

        It is called from `concurrency` threads; what it raises counts as a failed query.
        `options` are fields of `RankingsHead`, such as `metrics` and `label`.
        """
        queries = list(self.queries(test_set))
        with ThreadPoolExecutor(concurrency) as pool:
            rankings = list(pool.map(lambda query: _local.ask(search, query, k), queries))
        run = self.score_rankings(_local.head_for(test_set, k, options), rankings)
        self.wait(run.id, timeout_s=timeout_s)
        return self.results(run.id)

    def runs(
        self,
        *,
        test_set: str | None = None,
        label: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Run]:
        """Iterate over runs, newest first; `limit` is the size of a page."""
        return self._rows(
            _requests.get_runs(test_set=test_set, label=label, status=status, limit=limit)
        )

    def get(self, run_id: str, *, wait: int | None = None) -> Run:
        """Return a run's state; with `wait`, at its end or after so many seconds."""
        return self._exchange(_requests.get_run(run_id, wait))

    def wait(
        self,
        run_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Run], object] | None = None,
    ) -> Run:
        """Wait for a run to end and return it, whatever its end was: look at `status`.

        `on_progress` is called with each state seen. `WaitTimeoutError` after `timeout_s`.
        """
        return self._drive(
            _flows.await_end(
                partial(_requests.get_run, run_id),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
                on_progress=on_progress,
            )
        )

    def cancel(self, run_id: str) -> Run:
        """Ask a run to stop; `ConflictError` if it has ended."""
        return self._exchange(_requests.cancel_run(run_id))

    def delete(self, run_id: str) -> None:
        """Delete a run with all it found; `ConflictError` while it goes on."""
        self._exchange(_requests.delete_run(run_id))

    def results(self, run_id: str) -> Results:
        """Return the report of a run; `ConflictError` until it has ended."""
        return self._exchange(_requests.get_results(run_id))

    def results_document(self, run_id: str) -> bytes:
        """Return the report of a run as the JSON document sent, to be kept as it is."""
        return self._exchange(_requests.get_results_document(run_id))

    def query_rows(
        self,
        run_id: str,
        *,
        sort: str | None = None,
        slice_name: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Iterator[QueryRow]:
        """Iterate over the clean queries of a report.

        `sort` is a metric (worst first) or `-metric` (best first), `slice_name` like `tag:faq`.
        """
        return self._rows(
            _requests.get_query_rows(
                run_id, sort=sort, slice_name=slice_name, status=status, limit=limit
            )
        )

    def outcomes(self, run_id: str, *, limit: int | None = None) -> Iterator[OutcomeRow]:
        """Iterate over what each request brought: the raw rankings."""
        return self._rows(_requests.get_outcomes(run_id, limit))

    def variants(
        self, run_id: str, *, kind: str | None = None, limit: int | None = None
    ) -> Iterator[VariantRow]:
        """Iterate over the changed queries of a run and how they fared."""
        return self._rows(_requests.get_variants(run_id, kind, limit))

    def history(self, test_set: str) -> list[dict[str, Any]]:
        """Return the runs of a test set, oldest first, each a flat dict of means."""
        return self._exchange(_requests.get_history(test_set))

    def trend(
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
        return self._exchange(
            _requests.get_trend(test_set, metric=metric, label=label, limit=limit)
        )

    def unjudged(self, test_set: str, *, limit: int | None = None) -> Iterator[UnjudgedPair]:
        """Iterate over what to label next, most valuable first; `limit` is the size of a page."""
        return self._rows(_requests.get_unjudged(test_set, limit))

    def export_unjudged(self, test_set: str) -> bytes:
        """Return what to label next as CSV, with an empty column `rating` to fill in."""
        return self._exchange(_requests.get_unjudged_export(test_set))

    def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip of run and qrels), `csv` or `jsonl`."""
        return self._exchange(_requests.get_export(run_id, export_format))

    def retry(self, run_id: str, request: RetryRequest | Mapping[str, Any] | None = None) -> Run:
        """Send a run's unanswered requests again, in a child run that has all its answers."""
        return self._exchange(_requests.retry_run(run_id, request))

    def rescore(self, run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Run:
        """Score a run's stored rankings anew, as a child run; its endpoint is not called."""
        return self._exchange(_requests.rescore_run(run_id, request))

    def compare(
        self, request: ComparisonRequest | Mapping[str, Any], *, wait: int | None = None
    ) -> Comparison:
        """Compare two runs; with `wait`, at its end or after so many seconds."""
        return self._exchange(_requests.post_comparison(request, wait))

    def comparison(self, comparison_id: str, *, wait: int | None = None) -> Comparison:
        """Return a comparison's state, and its report once it has ended."""
        return self._exchange(_requests.get_comparison(comparison_id, wait))

    def wait_comparison(self, comparison_id: str, *, timeout_s: float | None = None) -> Comparison:
        """Wait for a comparison to end and return it. `WaitTimeoutError` after `timeout_s`."""
        return self._drive(
            _flows.await_end(
                partial(_requests.get_comparison, comparison_id),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
            )
        )

    def gate(
        self, gate: GateSource, *, timeout_s: float | None = None, **held: Unpack[Held]
    ) -> GateVerdict:
        """Hold a run to a gate: a struct, a dict, or the path of a YAML or JSON file.

        Waits for what has not ended. `held` goes before what the gate itself says.
        """
        return self._await_verdict(gate, GateVerdict, held_to(held), timeout_s)[0]

    def gate_document(
        self,
        gate: GateSource,
        gate_format: str,
        *,
        timeout_s: float | None = None,
        **held: Unpack[Held],
    ) -> GateDocument:
        """Do as `gate`; the verdict comes as `json`, `text`, `junit` or `markdown`."""
        return GateDocument(
            *self._await_verdict(gate, bytes, held_to(held, gate_format), timeout_s)
        )

    def probe(
        self, request: ProbeRequest | Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Probe:
        """Send up to five queries to an endpoint and return all that was seen of them."""
        return self._drive(
            _probes.run_probe(request, retry=self._retry, clock=self._clock, timeout_s=timeout_s)
        )

    def power(self, request: PowerRequest | Mapping[str, Any]) -> PowerAnswer:
        """Tell how many queries show a difference, from a sigma or from two runs."""
        return self._exchange(_requests.post_power(request))

    def _await_verdict(
        self, gate: GateSource, expect: type[T], params: dict[str, str], timeout_s: float | None
    ) -> tuple[T, int]:
        body = gate_body(gate)
        return self._drive(
            _flows.await_verdict(
                lambda wait: _requests.post_gate(body, expect, params, wait),
                retry=self._retry,
                clock=self._clock,
                timeout_s=timeout_s,
            )
        )
