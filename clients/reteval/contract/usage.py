"""What the store keeps for a team, and how long."""

from msgspec import Struct


class Kept(Struct, frozen=True):
    """So many objects, and the bytes that are stored of them."""

    count: int
    bytes: int


class StoreUse(Struct, frozen=True, kw_only=True):
    """Memory of the whole server, whoever uses it; no `bound`, no `left`: nobody bounds it."""

    used_bytes: int
    bound_bytes: int | None = None
    left_bytes: int | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """Everything that is kept. Runs that have not ended are counted, but not weighed yet.

    `retention_days` is how long ended runs and comparisons stay unless they are pinned; None:
    until they are deleted. `oldest_run` is when the oldest one was made.
    """

    bytes: int
    test_sets: Kept
    runs: Kept
    comparisons: Kept
    probes: Kept
    previews: Kept
    runs_under_way: int
    oldest_run: str | None
    retention_days: int | None
    store: StoreUse
    leakage_checks: Kept = Kept(0, 0)
