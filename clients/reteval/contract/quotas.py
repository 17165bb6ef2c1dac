"""What a caller may use: requests of its key, quotas of its team, bounds of every request."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

MAX_LIMIT: Final = 2**53
MAX_WINDOW_S: Final = 86_400
PER_KEY: Final = "perkey"
PER_ADDRESS: Final = "peraddress"
"""Names of the rate limits, as they stand in the headers: of a key, and of an address that sends
none that is valid."""


class QuotaName(StrEnum):
    """What a team has so much of."""

    CONCURRENT_RUNS = "concurrent_runs"
    QUEUED_RUNS = "queued_runs"
    QUERIES_PER_DAY = "queries_per_day"
    REQUESTS_PER_DAY = "requests_per_day"
    STORED_BYTES = "stored_bytes"
    TEST_SETS = "test_sets"

    @property
    def unit(self) -> str:
        """What is counted, in words."""
        return _UNITS[self]

    @property
    def daily(self) -> bool:
        """Whether it begins anew each day, at midnight UTC."""
        return self in {QuotaName.QUERIES_PER_DAY, QuotaName.REQUESTS_PER_DAY}


_UNITS: Final = {
    QuotaName.CONCURRENT_RUNS: "runs that are worked on at once",
    QuotaName.QUEUED_RUNS: "runs that wait",
    QuotaName.QUERIES_PER_DAY: "queries a day",
    QuotaName.REQUESTS_PER_DAY: "requests a day",
    QuotaName.STORED_BYTES: "stored bytes",
    QuotaName.TEST_SETS: "test sets",
}


class QuotaRefusal(Struct, frozen=True, kw_only=True):
    """Which quota has no room: its value, what is used of it, and what was asked for beyond."""

    name: QuotaName
    limit: int
    used: int
    asked: int


class Quota(Struct, frozen=True, kw_only=True):
    """A quota of a team. No `limit`: it is not bounded. `resets_at` is when a day's is new."""

    name: QuotaName
    limit: int | None
    used: int
    left: int | None
    resets_at: str | None


class Rate(Struct, frozen=True, kw_only=True):
    """Requests that a key may send: `requests` at once, and again so many in `window_s` seconds.

    `remaining` are left after this one; all are back in `reset_s` seconds.
    """

    policy: str
    requests: int
    window_s: int
    remaining: int
    reset_s: int


class Caps(Struct, frozen=True, kw_only=True):
    """Bounds of every request, whoever sends it."""

    max_json_bytes: int
    max_ndjson_bytes: int
    max_line_bytes: int
    max_queries: int
    max_judgments_per_query: int
    max_query_bytes: int
    max_id_bytes: int
    max_depth: int
    max_metrics: int
    max_repeats: int
    max_page: int
    max_wait_s: int


class Egress(Struct, frozen=True, kw_only=True):
    """Where runs may call: `public` or `loopback`, and how many further ranges are allowed."""

    policy: str
    allowed: int


class Allowance(Struct, frozen=True, kw_only=True):
    """What the caller may use, and what is left of it. No `rate`: requests are not counted."""

    team: str
    key: str
    rate: Rate | None
    quotas: tuple[Quota, ...]
    caps: Caps
    egress: Egress


Amount = Annotated[int, Meta(ge=0, le=MAX_LIMIT, description="0: no limit.")]
Window = Annotated[int, Meta(ge=1, le=MAX_WINDOW_S)]


class TeamLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of one team in place of the deployment's; what is left out stays the deployment's."""

    rate_requests: Amount | UnsetType = UNSET
    rate_window_s: Window | UnsetType = UNSET
    concurrent_runs: Amount | UnsetType = UNSET
    queued_runs: Amount | UnsetType = UNSET
    queries_per_day: Amount | UnsetType = UNSET
    requests_per_day: Amount | UnsetType = UNSET
    stored_bytes: Amount | UnsetType = UNSET
    test_sets: Amount | UnsetType = UNSET
