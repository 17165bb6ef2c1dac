"""What both clients offer about test sets: upload, read, what to label next, how they went."""

import asyncio
import os
from typing import Any, Unpack

from reteval import _test_set_calls, _uploads
from reteval._async_sender import AsyncSender
from reteval._rows import AsyncQueries, AsyncRows, Queries, Rows
from reteval._sender import Sender
from reteval._uploads import Source, UploadOptions
from reteval.contract.history import Trend
from reteval.contract.imports import ImportPreview
from reteval.contract.testsets import TestSet
from reteval.contract.unjudged import UnjudgedPair


class Sets(Sender):
    """A sender that knows the routes of test sets."""

    def upload(
        self, source: Source, *more: str | os.PathLike[str], **options: Unpack[UploadOptions]
    ) -> TestSet:
        """Upload a test set: a struct, a dict, or the path of a file in any format.

        `more` are further files of the same set, such as judgments beside queries. One file is
        streamed from disk. `options` go before what the source itself says. The same content
        under the same name answers the same test set.

        >>> queries = [{"query": "reset my password", "relevant_ids": ["kb-7", "kb-9"]}]
        >>> client.upload({"name": "example", "queries": queries}).stats.judgments
        2

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

    def test_sets(self, *, name: str | None = None, limit: int | None = None) -> Rows[TestSet]:
        """Iterate over all test sets, or those of a name, newest first; `limit` is of a page."""
        return self._rows(_test_set_calls.get_test_sets(limit, name))

    def test_set(self, id_or_name: str) -> TestSet:
        """Return a test set; of a name, its newest version."""
        return self._exchange(_test_set_calls.get_test_set(id_or_name))

    def queries(self, id_or_name: str, *, limit: int | None = None) -> Queries:
        """Iterate over the queries of a test set in upload order."""
        return Queries(self._pages(_test_set_calls.get_queries(id_or_name, limit)))

    def delete_test_set(self, test_set_id: str) -> None:
        """Delete a test set; `ConflictError` while a run refers to it."""
        self._exchange(_test_set_calls.delete_test_set(test_set_id))

    def history(self, test_set: str) -> list[dict[str, Any]]:
        """Return the runs of a test set, oldest first, each a flat dict of means."""
        return self._exchange(_test_set_calls.get_history(test_set))

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
            _test_set_calls.get_trend(test_set, metric=metric, label=label, limit=limit)
        )

    def unjudged(self, test_set: str, *, limit: int | None = None) -> Rows[UnjudgedPair]:
        """Iterate over what to label next, most valuable first; `limit` is the size of a page."""
        return self._rows(_test_set_calls.get_unjudged(test_set, limit))

    def export_unjudged(self, test_set: str) -> bytes:
        """Return what to label next as CSV, with an empty column `rating` to fill in."""
        return self._exchange(_test_set_calls.get_unjudged_export(test_set))


class AsyncSets(AsyncSender):
    """`Sets` for asyncio."""

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

    def test_sets(self, *, name: str | None = None, limit: int | None = None) -> AsyncRows[TestSet]:
        """Iterate over all test sets, or those of a name, newest first; `limit` is of a page."""
        return self._rows(_test_set_calls.get_test_sets(limit, name))

    async def test_set(self, id_or_name: str) -> TestSet:
        """Return a test set; of a name, its newest version."""
        return await self._exchange(_test_set_calls.get_test_set(id_or_name))

    def queries(self, id_or_name: str, *, limit: int | None = None) -> AsyncQueries:
        """Iterate over the queries of a test set in upload order."""
        return AsyncQueries(self._pages(_test_set_calls.get_queries(id_or_name, limit)))

    async def delete_test_set(self, test_set_id: str) -> None:
        """Delete a test set; `ConflictError` while a run refers to it."""
        await self._exchange(_test_set_calls.delete_test_set(test_set_id))

    async def history(self, test_set: str) -> list[dict[str, Any]]:
        """Return the runs of a test set, oldest first, each a flat dict of means."""
        return await self._exchange(_test_set_calls.get_history(test_set))

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
            _test_set_calls.get_trend(test_set, metric=metric, label=label, limit=limit)
        )

    def unjudged(self, test_set: str, *, limit: int | None = None) -> AsyncRows[UnjudgedPair]:
        """Iterate over what to label next, most valuable first; `limit` is the size of a page."""
        return self._rows(_test_set_calls.get_unjudged(test_set, limit))

    async def export_unjudged(self, test_set: str) -> bytes:
        """Return what to label next as CSV, with an empty column `rating` to fill in."""
        return await self._exchange(_test_set_calls.get_unjudged_export(test_set))
