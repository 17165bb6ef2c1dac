"""How many bytes a run will take, from its plan alone: an upper bound of each stored part.

The rates are those of zstd over what such parts hold, measured (docs/retention.md has the table)
and rounded up. Nobody knows beforehand how many different documents come back: all are assumed to
be different, with ids as long as the judged ones, and each hit to carry a score.
"""

from math import log2
from typing import Final

from msgspec import Struct

from reteval.contract.choice import choose
from reteval.contract.limits import MAX_SLICES
from reteval.contract.runs import RunRequest
from reteval.contract.slices import BUILT_IN
from reteval.contract.testsets import TestSetStats
from reteval.contract.unjudged import POOLED_RANKS

_TEXT: Final = 0.75
"""Bytes that a byte of text or id takes; base64 cannot be packed better."""
_REQUEST: Final = 30.0
"""Of a request and its outcome, apart from texts and hits."""
_SCORE: Final = 4.0
_VALUE: Final = 4.0
"""Of a metric's value: eight bytes, of which most values repeat."""
_COLUMN: Final = 150.0
_REPORT: Final = 12_000.0
_SUMMARY: Final = 320.0
"""Of a metric's summary in a report, for the run and for each slice."""
_CELL: Final = 4_000.0
"""Of a kind at one severity, or a tier, in a report."""
_UNKNOWN_ID: Final = 36.0
"""Length of an id where none is judged: a UUID's."""

_OUTCOME: Final = 200.0
"""Of an outcome before it is packed, apart from its hits: field names and a place in a hash."""
_RAW_SCORE: Final = 9.0
_UNDER_WAY: Final = 16_000
"""Requests of a run that may be unpacked at once: eight workers with a shard of 2,000 each."""
_ALLOCATION: Final = 1.25
"""Memory that a byte takes: an allocator rounds up."""


class Volume(Struct, frozen=True, kw_only=True):
    """What the size of a run depends on. `text` and `doc` are mean bytes of a query and an id."""

    queries: int
    requests: int
    depth: int
    metrics: int
    slices: int
    cells: int
    text: float
    doc: float

    @classmethod
    def of(
        cls, request: RunRequest, stats: TestSetStats, *, requests: int, depth: int, metrics: int
    ) -> "Volume":
        """Read it off a request over a test set."""
        choice = choose(request.adversarial) if request.adversarial else None
        queries = stats.queries + stats.variants
        return cls(
            queries=queries,
            requests=requests,
            depth=depth,
            metrics=metrics,
            slices=min(stats.slices + BUILT_IN, MAX_SLICES),
            cells=len(choice.kinds) + len(choice.tiers) + len(choice.hostile) if choice else 0,
            text=stats.text_bytes / max(1, queries),
            doc=stats.id_bytes / stats.judgments if stats.judgments else _UNKNOWN_ID,
        )


def kept_bytes(volume: Volume) -> int:
    """Return what the store keeps of a run once it has ended, at most."""
    hits = volume.requests * volume.depth
    doc = _TEXT * volume.doc + 1
    number = (log2(hits + 1) + 4) / 8
    outcomes = volume.requests * (_REQUEST + _TEXT * volume.text) + hits * (number + _SCORE + doc)
    unjudged = volume.queries * min(volume.depth, POOLED_RANKS) * (doc + 1)
    columns = volume.metrics * (_COLUMN + volume.queries * _VALUE) + volume.requests * 2 * _VALUE
    report = _REPORT + volume.metrics * _SUMMARY * (1 + volume.slices) + volume.cells * _CELL
    return round(outcomes + unjudged + columns + report)


def needed_memory(volume: Volume) -> int:
    """Return the memory that a run needs while it goes on.

    Shards under way are raw, those that are done are packed, and at its end all of them are there
    again as the record.
    """
    raw = _OUTCOME + volume.depth * (volume.doc + 2 + _RAW_SCORE)
    under_way = min(volume.requests, _UNDER_WAY)
    return round(_ALLOCATION * (2 * kept_bytes(volume) + under_way * raw))
