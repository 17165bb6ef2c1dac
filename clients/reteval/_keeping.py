"""What both clients offer about keeping: pins, usage, backups."""

import os
from collections.abc import Sequence
from pathlib import Path

from reteval import _keeping_calls
from reteval._async_sender import AsyncSender
from reteval._sender import Sender
from reteval.contract.backups import Restoration
from reteval.contract.runs import Run
from reteval.contract.usage import Usage


class Keeper(Sender):
    """A sender that can keep and bring back."""

    def pin(self, run_id: str) -> Run:
        """Keep a run from expiring."""
        return self._exchange(_keeping_calls.pin_run(run_id))

    def unpin(self, run_id: str) -> None:
        """Let a run expire, where the service lets runs expire."""
        self._exchange(_keeping_calls.unpin_run(run_id))

    def usage(self) -> Usage:
        """Return what is kept, for how long, and what is left."""
        return self._exchange(_keeping_calls.get_usage())

    def delete_comparison(self, comparison_id: str) -> None:
        """Delete a comparison that has ended; the same question makes it anew."""
        self._exchange(_keeping_calls.delete_comparison(comparison_id))

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        runs: Sequence[str] = (),
        test_sets: Sequence[str] = (),
        judgings: Sequence[str] = (),
        everything: bool = False,
    ) -> None:
        """Save runs and judgings with their test sets, and test sets; checked as it arrives.

        Raises:
            OSError: the file cannot be written.
        """
        call = _keeping_calls.post_backup(runs, test_sets, judgings, everything=everything)
        self._download(call, Path(path))

    def restore(self, path: str | os.PathLike[str]) -> Restoration:
        """Bring back what a file of `backup` holds and the service does not have.

        Raises:
            OSError: the file cannot be read.
        """
        return self._exchange(_keeping_calls.post_restore(Path(path)))


class AsyncKeeper(AsyncSender):
    """`Keeper` for asyncio."""

    async def pin(self, run_id: str) -> Run:
        """Keep a run from expiring."""
        return await self._exchange(_keeping_calls.pin_run(run_id))

    async def unpin(self, run_id: str) -> None:
        """Let a run expire, where the service lets runs expire."""
        await self._exchange(_keeping_calls.unpin_run(run_id))

    async def usage(self) -> Usage:
        """Return what is kept, for how long, and what is left."""
        return await self._exchange(_keeping_calls.get_usage())

    async def delete_comparison(self, comparison_id: str) -> None:
        """Delete a comparison that has ended; the same question makes it anew."""
        await self._exchange(_keeping_calls.delete_comparison(comparison_id))

    async def backup(
        self,
        path: str | os.PathLike[str],
        *,
        runs: Sequence[str] = (),
        test_sets: Sequence[str] = (),
        judgings: Sequence[str] = (),
        everything: bool = False,
    ) -> None:
        """Save runs and judgings with their test sets, and test sets; checked as it arrives.

        Raises:
            OSError: the file cannot be written.
        """
        call = _keeping_calls.post_backup(runs, test_sets, judgings, everything=everything)
        await self._download(call, Path(path))

    async def restore(self, path: str | os.PathLike[str]) -> Restoration:
        """Bring back what a file of `backup` holds and the service does not have.

        Raises:
            OSError: the file cannot be read.
        """
        return await self._exchange(_keeping_calls.post_restore(Path(path)))
