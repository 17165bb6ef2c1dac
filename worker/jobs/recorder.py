"""Outcomes on their way to the store: written in small batches as they arrive."""

import asyncio
from typing import Final

import structlog

from reteval.contract.outcomes import Outcome
from service.errors import StorageFullError, StoreUnavailableError
from service.store.records import Claim
from service.store.shards import Shards

_log = structlog.get_logger("reteval.worker")
PAUSE_S: Final = 0.1
BATCH: Final = 250


class Recorder:
    """Collects outcomes of a shard and writes them; what leaves the buffer is stored."""

    def __init__(self, shards: Shards, claim: Claim, unit: str) -> None:
        self._shards = shards
        self._claim = claim
        self._unit = unit
        self._pending: list[tuple[int, Outcome]] = []
        self._writing = asyncio.Lock()

    def record(self, place: int, outcome: Outcome) -> None:
        """Take the outcome of the request at a place of the plan."""
        self._pending.append((place, outcome))

    async def flush(self) -> None:
        """Write everything taken so far.

        Raises:
            LostClaimError: the claim is void.
            StoreUnavailableError: the store is away; the outcomes are kept.
        """
        async with self._writing:
            while self._pending:
                batch = self._pending[:BATCH]
                await self._shards.write(self._claim, self._unit, batch)
                del self._pending[: len(batch)]

    async def keep(self) -> None:
        """Write again and again until cancelled; while the store is away, keep and wait.

        Raises:
            LostClaimError: the claim is void.
        """
        while True:
            await asyncio.sleep(PAUSE_S)
            try:
                await self.flush()
            except (StoreUnavailableError, StorageFullError) as exc:
                _log.warning("outcomes.kept_back", run=self._claim.job_id, error=str(exc))
