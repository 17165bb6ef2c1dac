"""What a job finds out on its way to the store: written a few times a second, as it comes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from service.errors import StorageFullError, StoreUnavailableError
from service.store.fencing import LostClaimError
from worker.jobs.hold import Stop
from worker.jobs.work import Work, log

PAUSE_S: Final = 0.2
BATCH: Final = 50

T = TypeVar("T")


class Keeper(Generic[T]):
    """Takes what is found and hands it to `write` in order; all of it is written at the end.

    While the store is away what was found is kept. Once the claim is lost, nothing is written
    any more, and the job is told to stop.
    """

    def __init__(self, work: Work, write: Callable[[Sequence[T]], Awaitable[None]]) -> None:
        self._work = work
        self._write = write
        self._pending: list[T] = []
        self._writing: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    def take(self, found: T) -> None:
        """Take something to be written soon."""
        self._pending.append(found)

    async def __aenter__(self) -> Self:
        self._writing = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._writing is not None:  # not cancelled: what it is writing would be written twice
            await self._writing
        if self._work.hold.reason is not Stop.LOST:
            await self._flush()

    async def _keep(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_S):
                    await self._ended.wait()
            try:
                await self._flush()
            except (StoreUnavailableError, StorageFullError) as exc:
                log.warning("findings.kept_back", job=self._work.claim.job_id, error=str(exc))
            except LostClaimError:
                self._work.hold.stop(Stop.LOST)
                return

    async def _flush(self) -> None:
        while self._pending:
            batch = self._pending[:BATCH]
            await self._write(batch)
            del self._pending[: len(batch)]
