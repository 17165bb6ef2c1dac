"""Rankings made elsewhere, to be scored as if an endpoint had answered them."""

from typing import Annotated

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.metrics import DEFAULT_K_VALUES
from reteval.contract.runs import IntervalMethod, K
from reteval.contract.splits import SplitName


class RankingsHead(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `request` part of an upload of rankings: what is scored, and how.

    A query of the test set without a ranking is skipped and counted, never a 0; by default the
    run is then `completed_with_errors`. `max_error_rate` says what share may be missing. With
    `split`, only the queries of that split are scored.
    """

    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    metrics: Annotated[tuple[str, ...], Meta(max_length=limits.MAX_METRICS)] = ()
    k_values: Annotated[tuple[K, ...], Meta(min_length=1, max_length=20)] = DEFAULT_K_VALUES
    depth: K | None = None
    meta: dict[str, str] = field(default_factory=dict)
    interval: IntervalMethod = IntervalMethod.AUTO
    max_error_rate: Annotated[float, Meta(ge=0, le=1)] = 1.0
    split: SplitName = ""


class Ranking(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was found for one query: a line of a JSON lines upload, best document first.

    `error` marks a query whose search failed; it has no documents then.
    """

    query_id: str
    ids: list[str | int] = field(default_factory=list)
    scores: list[float] | None = None
    latency_ms: float | None = None
    error: str = ""
