"""The history of a test set: one flat line a run, the same keys in the same order."""

from collections.abc import AsyncIterator

import msgspec
from msgspec import UNSET, Struct, UnsetType

from reteval.contract.results import MetricSummary
from reteval.contract.splits import SplitShare
from service.core.backend import Backend


class _Report(Struct, frozen=True, kw_only=True):
    # The part of a stored report that a line needs.
    id: str
    label: str
    timestamp: str
    num_queries: int
    status: str
    metrics: dict[str, MetricSummary] | None
    split: SplitShare | UnsetType = UNSET


async def read_history(backend: Backend, test_set: str) -> AsyncIterator[bytes]:
    """Check that the set exists and return its lines, oldest run first.

    A run without metrics (failed, cancelled) has a line without them; its `status` says so.

    Raises:
        NotFoundError: no such test set.
    """
    found = await backend.store.test_sets.get(backend.tenant, test_set)
    return _lines(backend, found.id)


async def _lines(backend: Backend, test_set_id: str) -> AsyncIterator[bytes]:
    async for report in backend.store.runs.history(backend.tenant, test_set_id):
        yield flatten(report)


def flatten(report: bytes) -> bytes:
    """Turn a stored report into its line: identity first, then each metric's mean."""
    read = msgspec.json.decode(report, type=_Report)
    line: dict[str, str | int | float | None] = {
        "run": read.id,
        "label": read.label,
        "timestamp": read.timestamp,
        "num_queries": read.num_queries,
        "status": read.status,
    }
    if read.split is not UNSET:
        line["split"] = read.split.name
    line.update({name: summary.mean for name, summary in (read.metrics or {}).items()})
    return msgspec.json.encode(line) + b"\n"
