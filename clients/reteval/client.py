"""The client for synchronous code: a thin sender over the calls and flows of this package."""

import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar, Unpack

import httpx

from reteval import _flows, _requests, _uploads
from reteval._requests import Call
from reteval._responses import Reply
from reteval._transport import failure_of, find_target, read_chunks, reply_of, request_of
from reteval._uploads import HeadOptions, Source
from reteval.contract.outcomes import OutcomeRow, QueryRow, VariantRow
from reteval.contract.results import Results
from reteval.contract.runs import Run, RunRequest
from reteval.contract.testsets import Query, TestSet
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry

T = TypeVar("T")


class Client:
    """A connection to the service; use it as a context manager, or `close()` it.

    `url` and `api_key` default to the environment's `RETEVAL_URL` and `RETEVAL_API_KEY`, and
    those to the service on this machine. `http` is an `httpx.Client` of your own, for proxies
    and certificates; it stays open. `timeout_s` bounds each read and write of an exchange.
    May be shared between threads. Every method raises `RetevalError` (see `reteval.errors`).
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http: httpx.Client | None = None,
        timeout_s: float = 30.0,
        retry: Retry | None = None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._target = find_target(url, api_key, os.environ)
        self._own = http is None
        # A proxy of the environment cannot reach the loopback interface of this machine.
        self._http = http or httpx.Client(trust_env=not self._target.loopback)
        self._timeout_s = timeout_s
        self._retry = retry or Retry()
        self._sleep = sleep
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless they belong to a client passed in."""
        if self._own:
            self._http.close()

    def upload(self, source: Source, **head: Unpack[HeadOptions]) -> TestSet:
        """Upload a test set: a struct, a dict, or the path of a JSON, NDJSON or CSV file.

        Files are streamed from disk. `head` goes before what the source itself says. The same
        content under the same name answers the same test set.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_uploads.upload(source, head))

    def upload_trec(
        self,
        topics: str | os.PathLike[str],
        qrels: str | os.PathLike[str],
        **head: Unpack[HeadOptions],
    ) -> TestSet:
        """Upload a TREC topics file with its qrels.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_uploads.upload_trec(topics, qrels, head))

    def test_sets(self, *, limit: int | None = None) -> Iterator[TestSet]:
        """Iterate over all test sets, newest first; `limit` is the size of a page."""
        return self._rows(_requests.get_test_sets(limit))

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

        Repeating a call with the same `idempotency_key` answers the same run; without one, each
        call makes its own, so that a lost connection starts no second run.
        """
        return self._exchange(_requests.post_run(request, idempotency_key or uuid.uuid4().hex))

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
                run_id,
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

    def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip of run and qrels), `csv` or `jsonl`."""
        return self._exchange(_requests.get_export(run_id, export_format))

    def _rows(self, first: Call[Any]) -> Iterator[Any]:
        call: Call[Any] | None = first
        while call is not None:
            page = self._exchange(call)
            yield from page.items
            call = _requests.next_page(call, page)

    def _exchange(self, call: Call[T]) -> T:
        return self._drive(_flows.exchange(call, self._retry))

    def _drive(self, flow: _flows.Flow[T]) -> T:
        answer: _flows.Answer = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, _flows.Pause):
                self._sleep(step.seconds)
                answer = None
            else:
                answer = self._send(step)

    def _send(self, call: Call[object]) -> Reply | ConnectionFailedError:
        arguments = request_of(call, self._target, self._timeout_s)
        if call.file is not None:
            arguments["content"] = read_chunks(call.file)
        request = self._http.build_request(**arguments)
        try:
            return reply_of(self._http.send(request, follow_redirects=False))
        except httpx.RequestError as exc:
            return failure_of(exc, call, self._target)
