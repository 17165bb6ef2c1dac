"""What both clients offer about versions of test sets."""

import asyncio
from typing import Unpack

from reteval import _version_calls
from reteval._async_sender import AsyncSender
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval._version_calls import Changed, RatingOptions
from reteval.contract.differences import DiffRow
from reteval.contract.testsets import TestSet
from reteval.contract.versions import DiffPage, Version


class Versions(Sender):
    """A sender that knows the routes of versions."""

    def create_version(
        self, id_or_name: str, changes: Changed, **options: Unpack[RatingOptions]
    ) -> TestSet:
        """Change a test set into a new version: by a document, or a JSON or CSV file.

        A CSV file has the columns `query_id`, `docid` and `rating`, such as `export_unjudged`
        gives them; `options` say what the file does not. The set itself stays as it is.

        Raises:
            OSError: a file that cannot be read.
            ValueError: options beside a JSON change set.
        """
        return self._exchange(_version_calls.post_version(id_or_name, changes, options))

    def versions(self, id_or_name: str, *, limit: int | None = None) -> Rows[Version]:
        """Iterate over the versions of a test set's name, newest first."""
        return self._rows(_version_calls.get_versions(id_or_name, limit))

    def diff(self, id_or_name: str, against: str | None = None) -> DiffPage:
        """Return how a test set differs from another, or from its parent: counts, first rows."""
        return self._exchange(_version_calls.get_diff(id_or_name, against))

    def diff_rows(
        self, id_or_name: str, against: str | None = None, *, limit: int | None = None
    ) -> Rows[DiffRow]:
        """Iterate over all differences; `limit` is the size of a page."""
        return self._rows(_version_calls.get_diff(id_or_name, against, limit))


class AsyncVersions(AsyncSender):
    """`Versions` for asyncio."""

    async def create_version(
        self, id_or_name: str, changes: Changed, **options: Unpack[RatingOptions]
    ) -> TestSet:
        """Change a test set into a new version: by a document, or a JSON or CSV file.

        A CSV file has the columns `query_id`, `docid` and `rating`, such as `export_unjudged`
        gives them; `options` say what the file does not. The set itself stays as it is.

        Raises:
            OSError: a file that cannot be read.
            ValueError: options beside a JSON change set.
        """
        return await self._exchange(
            await asyncio.to_thread(_version_calls.post_version, id_or_name, changes, options)
        )

    def versions(self, id_or_name: str, *, limit: int | None = None) -> AsyncRows[Version]:
        """Iterate over the versions of a test set's name, newest first."""
        return self._rows(_version_calls.get_versions(id_or_name, limit))

    async def diff(self, id_or_name: str, against: str | None = None) -> DiffPage:
        """Return how a test set differs from another, or from its parent: counts, first rows."""
        return await self._exchange(_version_calls.get_diff(id_or_name, against))

    def diff_rows(
        self, id_or_name: str, against: str | None = None, *, limit: int | None = None
    ) -> AsyncRows[DiffRow]:
        """Iterate over all differences; `limit` is the size of a page."""
        return self._rows(_version_calls.get_diff(id_or_name, against, limit))
