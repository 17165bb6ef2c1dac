"""The client for asyncio code: the same calls and flows as `reteval.client`, awaited."""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Self, TypeVar, Unpack

import httpx

from reteval import _flows, _requests, _uploads
from reteval._requests import Call
from reteval._responses import Reply
from reteval._transport import failure_of, find_target, read_chunks_async, reply_of, request_of
from reteval._uploads import HeadOptions, Source
from reteval.contract.outcomes import OutcomeRow, QueryRow, VariantRow
from reteval.contract.results import Results
from reteval.contract.runs import Run, RunRequest
from reteval.contract.testsets import Query, TestSet
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry

T = TypeVar("T")


class AsyncClient:
    """`Client` for asyncio: the same methods, awaited, and lists iterated with `async for`.

    `http` is an `httpx.AsyncClient` of your own; the other arguments are those of `Client`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http: httpx.AsyncClient | None = None,
        timeout_s: float = 30.0,
        retry: Retry | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._target = find_target(url, api_key, os.environ)
        self._own = http is None
        # A proxy of the environment cannot reach the loopback interface of this machine.
        self._http = http or httpx.AsyncClient(trust_env=not self._target.loopback)
        self._timeout_s = timeout_s
        self._retry = retry or Retry()
        self._sleep = sleep
        self._clock = clock

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, unless they belong to a client passed in."""
        if self._own:
            await self._http.aclose()

    async def upload(self, source: Source, **head: Unpack[HeadOptions]) -> TestSet:
        """Upload a test set or a file, as `Client.upload` does."""
        return await self._exchange(await asyncio.to_thread(_uploads.upload, source, head))

    async def upload_trec(
        self,
        topics: str | os.PathLike[str],
        qrels: str | os.PathLike[str],
        **head: Unpack[HeadOptions],
    ) -> TestSet:
        """Upload a TREC topics file with its qrels."""
        call = await asyncio.to_thread(_uploads.upload_trec, topics, qrels, head)
        return await self._exchange(call)

    def test_sets(self, *, limit: int | None = None) -> AsyncIterator[TestSet]:
        """Iterate over all test sets, newest first; `limit` is the size of a page."""
        return self._rows(_requests.get_test_sets(limit))

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
        key = idempotency_key or uuid.uuid4().hex
        return await self._exchange(_requests.post_run(request, key))

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
                run_id,
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

    async def export(self, run_id: str, export_format: str) -> bytes:
        """Return a run as `trec` (a zip of run and qrels), `csv` or `jsonl`."""
        return await self._exchange(_requests.get_export(run_id, export_format))

    async def _rows(self, first: Call[Any]) -> AsyncIterator[Any]:
        call: Call[Any] | None = first
        while call is not None:
            page = await self._exchange(call)
            for row in page.items:
                yield row
            call = _requests.next_page(call, page)

    async def _exchange(self, call: Call[T]) -> T:
        return await self._drive(_flows.exchange(call, self._retry))

    async def _drive(self, flow: _flows.Flow[T]) -> T:
        answer: _flows.Answer = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, _flows.Pause):
                await self._sleep(step.seconds)
                answer = None
            else:
                answer = await self._send(step)

    async def _send(self, call: Call[object]) -> Reply | ConnectionFailedError:
        arguments = request_of(call, self._target, self._timeout_s)
        if call.file is not None:
            arguments["content"] = read_chunks_async(call.file)
        request = self._http.build_request(**arguments)
        try:
            return reply_of(await self._http.send(request, follow_redirects=False))
        except httpx.RequestError as exc:
            return failure_of(exc, call, self._target)
