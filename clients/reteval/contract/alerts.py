"""Alerts: gates that runs are held to when they end, and who is told when that changes."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.gates import Gate, GateOutcome
from reteval.contract.testsets import Name

MAX_ALERTS: Final = 20
"""Of a team: each end of a run is held against all of them."""
MAX_TOLD: Final = 10
"""Webhooks that an alert tells."""
MAX_STREAK: Final = 100
MAX_QUIET_S: Final = 2_592_000
DEFAULT_QUIET_S: Final = 3_600
MAX_NAMED: Final = 10
"""Rules that a notice names."""

Streak = Annotated[int, Meta(ge=1, le=MAX_STREAK)]


class AlertEvent(StrEnum):
    """What webhooks are told of an alert."""

    FAILING = "alert.failing"
    RECOVERED = "alert.recovered"


class AlertState(StrEnum):
    """What an alert knows: `unknown` until enough runs in a row say the same."""

    UNKNOWN = "unknown"
    OK = "ok"
    FAILING = "failing"


class RunSelection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs an alert looks at; an empty field fits all.

    `test_set` is an id, or a name for all its versions; `schedule` is an id.
    """

    test_set: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    schedule: Annotated[str, Meta(max_length=64)] = ""


class AlertRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/alerts` and `PUT /v1/alerts/{id}`.

    `previous`: the gate's baseline is the completed run before, of the same test set and the same
    selection. `webhooks` are ids. After `fail_after` failing runs in a row the alert fails, after
    `recover_after` passing ones it recovers. For `quiet_s` after it was told that the alert fails,
    nobody is told so again; a recovery is always told.
    """

    name: Name
    gate: Gate
    runs: RunSelection = RunSelection()
    previous: bool = False
    webhooks: Annotated[tuple[str, ...], Meta(max_length=MAX_TOLD)] = ()
    fail_after: Streak = 1
    recover_after: Streak = 1
    quiet_s: Annotated[int, Meta(ge=0, le=MAX_QUIET_S)] = DEFAULT_QUIET_S
    enabled: bool = True


class Alert(AlertRequest, frozen=True, kw_only=True):
    """An alert and its state. `failing` and `passing` are the runs in a row that were so, last.

    `told_at` is when webhooks were last told that it fails.
    """

    id: str
    state: AlertState
    failing: int
    passing: int
    told_at: str | None
    version: int
    created_at: str
    updated_at: str
    links: dict[str, str]


class AlertPage(Struct, frozen=True, kw_only=True):
    """A page of alerts, newest first."""

    items: tuple[Alert, ...]
    next_cursor: str | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """What a run's gate came to; None where it could not be evaluated, and `sentence` says why."""

    at: str
    run: str
    verdict: GateOutcome | None
    sentence: str
    baseline: str | None = None
    comparisons: tuple[str, ...] = ()


class Evaluation(Finding, frozen=True, kw_only=True):
    """A run that an alert looked at, the state after it, and what webhooks were told, if anything.

    `told` are the webhooks that were on.
    """

    state: AlertState
    event: AlertEvent | None
    told: tuple[str, ...]


class EvaluationPage(Struct, frozen=True, kw_only=True):
    """A page of an alert's evaluations, newest first."""

    items: tuple[Evaluation, ...]
    next_cursor: str | None = None


class AlertNotice(Struct, frozen=True, kw_only=True):
    """What a webhook's event says of an alert. `rules` are what did not hold, the first ten."""

    id: str
    name: str
    verdict: GateOutcome | None
    sentence: str
    rules: tuple[str, ...]
    baseline: str | None
    links: dict[str, str]
