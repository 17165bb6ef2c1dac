"""Odd and hostile strings a search box gets: what is expected of each, and what came of it."""

from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType

HOSTILE_PREFIX: Final = "hostile."
HOSTILE_CLEAN: Final = "hostile.clean"
"""Kind of the plain request beside an odd one: the same words without the syntax."""
EVERYDAY_HOSTILE: Final = "hostile"
"""The group that presets send; the others only where they are named."""
HOSTILE_GROUPS: Final = {
    EVERYDAY_HOSTILE: 136,
    "hostile.markup": 6,
    "hostile.sql": 6,
    "hostile.instructions": 4,
}
"""Requests of each group that can be asked for, plain partners included; at most these."""


class Expectation(StrEnum):
    """What an endpoint owes a string.

    `hits_expected`: an answer, with hits where the plain words have some. `same_as_clean`: the
    list of the plain words, as nearly as the endpoint repeats itself. `no_5xx`: an answer or a
    refusal by 4xx. `bounded`: the same, about the time it takes; every string is held to that.
    """

    HITS_EXPECTED = "hits_expected"
    SAME_AS_CLEAN = "same_as_clean"
    NO_5XX = "no_5xx"
    BOUNDED = "bounded"


class HostileVerdict(StrEnum):
    """What came of a string; `changed` is another list where the same one was expected."""

    OK = "ok"
    EMPTY = "empty"
    CHANGED = "changed"
    BROKEN = "broken"
    BLOCKED = "blocked"
    SLOW = "slow"
    NOT_RUN = "not_run"


class HostileCase(Struct, frozen=True, kw_only=True):
    """One string and its answer. What a case has no use for, or did not get, is absent.

    `sent` is cut at 200 characters, `sent_chars` counts all. `hits` are those returned, and
    `clean_hits` those of the same words without the odd syntax. `bound_ms` is what `latency_ms`
    is held against: five times the clean queries' p95, or 2 s.
    """

    case: str
    group: str
    why: str
    sent: str
    sent_chars: int
    expect: Expectation
    verdict: HostileVerdict
    bound_ms: float
    http: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hits: int | UnsetType = UNSET
    clean_hits: int | UnsetType = UNSET
    rbo: float | UnsetType = UNSET
    rbo_at_least: float | UnsetType = UNSET
    latency_ms: float | UnsetType = UNSET
