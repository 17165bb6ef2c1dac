"""Documents that came back and were never judged: what to label next."""

from typing import Final

from msgspec import Struct

POOLED_RUNS: Final = 20
"""Newest completed runs of a test set whose answers are pooled."""
POOLED_RANKS: Final = 10
"""Places of an answer that are looked at."""
MAX_PAIRS: Final = 10_000
"""Most valuable pairs that are listed."""


class UnjudgedHits(Struct, frozen=True, array_like=True):
    """The unjudged documents at the top of one answer, with their ranks (from 1), parallel."""

    ranks: bytes
    ids: list[str]


class UnjudgedPair(Struct, frozen=True, kw_only=True):
    """A query and a document that nobody judged for it.

    `value` is the sum of 1 / log2(rank + 1) over the runs that returned the document in the
    first ten places: what judging it can move at most, in units of discounted gain.
    """

    query_id: str
    query: str
    document_id: str
    value: float
    runs: int
    best_rank: int


class UnjudgedPage(Struct, frozen=True, kw_only=True):
    """A page of pairs, most valuable first.

    `total` counts all pairs, of which the most valuable 10,000 are listed; `pooled_runs` are
    the completed runs they were gathered from, the newest twenty.
    """

    items: tuple[UnjudgedPair, ...]
    total: int
    pooled_runs: int
    next_cursor: str | None = None
