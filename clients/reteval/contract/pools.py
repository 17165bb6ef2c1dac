"""Pools: what was returned for each query, by whom, and what was seen of it."""

from typing import Final

from msgspec import Struct

DEFAULT_POOL_DEPTH: Final = 20
MAX_POOL_DEPTH: Final = 200
MAX_RANDOM: Final = 50
SNAPSHOT_CHARS: Final = 20_000
"""Characters of a document that a pool keeps; of a longer one its beginning and its end."""


class Sighting(Struct, frozen=True):
    """At which rank, from 1, a configuration returned a document; a run's id, or `endpoint 1`."""

    config: str
    rank: int


class PooledPair(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document in the pool of a query. `known` is its grade in the test set.

    `text` is what was seen of the document; `cut` says that it was longer. Without a text no
    model can judge it. `random`: no configuration returned it for this query.
    """

    doc_id: str
    found: tuple[Sighting, ...] = ()
    text: str = ""
    text_sha256: str = ""
    cut: bool = False
    fetched_at: str = ""
    known: int | None = None
    random: bool = False


class PoolCounts(Struct, frozen=True, kw_only=True):
    """What is in a pool. Searches that failed are tried again when pooling is asked for again."""

    queries: int = 0
    pairs: int = 0
    known: int = 0
    random: int = 0
    without_text: int = 0
    searches: int = 0
    failed_searches: int = 0
