"""Schedules: runs that start by themselves, and what became of each time they were due."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from reteval.contract.runs import RunRequest
from reteval.contract.testsets import Name

MAX_SCHEDULES: Final = 100
"""Of a team."""
MAX_GRACE_S: Final = 604_800
DEFAULT_GRACE_S: Final = 300
MAX_TIMES: Final = 50
DEFAULT_TIMES: Final = 5
"""Times of a preview."""

Cron = Annotated[str, Meta(min_length=1, max_length=200)]
Zone = Annotated[str, Meta(min_length=1, max_length=64)]


class MissedPolicy(StrEnum):
    """What follows when nobody could start a run in time: nothing, or one run for all times."""

    SKIP = "skip"
    RUN_ONCE = "run_once"


class OverlapPolicy(StrEnum):
    """What follows when the schedule's last run has not ended at the next time."""

    SKIP = "skip"
    ALLOW = "allow"


class ScheduleRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/schedules` and `PUT /v1/schedules/{id}`.

    `cron` has five fields (minute, hour, day of month, month, day of week) and is read by the
    clocks of `zone`. Up to `grace_s` late, a run counts as on time; `missed` says what follows
    later than that. `run` is the body of `POST /v1/runs`.
    """

    name: Name
    cron: Cron
    run: RunRequest
    zone: Zone = "UTC"
    missed: MissedPolicy = MissedPolicy.SKIP
    grace_s: Annotated[int, Meta(ge=0, le=MAX_GRACE_S)] = DEFAULT_GRACE_S
    overlap: OverlapPolicy = OverlapPolicy.SKIP


class Schedule(ScheduleRequest, frozen=True, kw_only=True):
    """A schedule. The header values of its run are empty.

    `next_at` is when it is due; None while it is paused. `last_run` is the last run it started.
    """

    id: str
    paused: bool
    next_at: str | None
    last_run: str | None
    version: int
    created_at: str
    updated_at: str
    links: dict[str, str]


class SchedulePage(Struct, frozen=True, kw_only=True):
    """A page of schedules, newest first."""

    items: tuple[Schedule, ...]
    next_cursor: str | None = None


class FireOutcome(StrEnum):
    """What became of a time at which a run was due."""

    STARTED = "started"
    OVERLAPPED = "overlapped"
    MISSED = "missed"
    REFUSED = "refused"


class Fire(Struct, frozen=True, kw_only=True):
    """A time at which a run was due, or was asked for `by_hand`, and what became of it.

    `code` and `detail` say why a run was refused, as the answer to `POST /v1/runs` would have.
    `missed` counts the times before it that passed without a run while nobody was there; from
    1,000 on it stands for more.
    """

    at: str
    decided_at: str
    outcome: FireOutcome
    run: str | None = None
    code: str | None = None
    detail: str = ""
    missed: int = 0
    by_hand: bool = False


class FirePage(Struct, frozen=True, kw_only=True):
    """A page of what became of a schedule's times, newest first."""

    items: tuple[Fire, ...]
    next_cursor: str | None = None


class FireTime(Struct, frozen=True, kw_only=True):
    """A time at which a run will be due: in UTC, and as the clocks of the zone show it."""

    at: str
    local: str


class FireTimes(Struct, frozen=True, kw_only=True):
    """When an expression is due next."""

    cron: str
    zone: str
    times: tuple[FireTime, ...]
