"""Webhooks: who is told when a run ends, what is sent, and how that went."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.alerts import AlertNotice
from reteval.contract.runs import RunStatus

PING: Final = "ping"
"""The type of an event that only tries a webhook out."""
DEFAULT_GRACE_S: Final = 86_400
MAX_GRACE_S: Final = 604_800


class RunEvent(StrEnum):
    """What can be subscribed to: each way in which a run ends."""

    COMPLETED = "run.completed"
    COMPLETED_WITH_ERRORS = "run.completed_with_errors"
    FAILED = "run.failed"
    CANCELLED = "run.cancelled"


class WebhookFormat(StrEnum):
    """What a receiver is sent: our signed event, or a message for a chat as Slack takes it."""

    SIGNED = "signed"
    SLACK = "slack"


class DeliveryState(StrEnum):
    """Where a delivery is: `failed` once the last attempt has failed."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/webhooks` and `PUT /v1/webhooks/{id}`.

    `label` and `test_set` (an id, or a name for all its versions) narrow down which runs are
    told; empty, all are. Without `events`, it is told only what alerts that name it have to say.
    """

    url: Annotated[str, Meta(min_length=1, max_length=limits.MAX_URL_CHARS)]
    events: Annotated[list[RunEvent], Meta(max_length=len(RunEvent))] = field(
        default_factory=lambda: list(RunEvent)
    )
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    test_set: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    description: Annotated[str, Meta(max_length=1_000)] = ""
    enabled: bool = True
    format: WebhookFormat = WebhookFormat.SIGNED


class RotationRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/webhooks/{id}/rotate`: how long the old secret signs along."""

    grace_s: Annotated[int, Meta(ge=0, le=MAX_GRACE_S)] = DEFAULT_GRACE_S


class Webhook(Struct, frozen=True, kw_only=True):
    """A webhook, without its secret.

    `disabled_reason` is why the service switched it off, `failing_since` the first failed
    attempt after which none succeeded. Until `old_secret_until` the secret before this one
    signs along. Whoever knows the URL of a chat may write there: of `slack`, only where it leads
    is shown.
    """

    id: str
    url: str
    events: tuple[RunEvent, ...]
    label: str
    test_set: str
    description: str
    enabled: bool
    disabled_reason: str | None
    failing_since: str | None
    old_secret_until: str | None
    created_at: str
    updated_at: str
    format: WebhookFormat = WebhookFormat.SIGNED


class WebhookSecret(Webhook, frozen=True, kw_only=True):
    """A webhook just made or rotated, with the secret, which is shown this once.

    It is empty in `slack`, which signs nothing.
    """

    secret: str


class WebhookPage(Struct, frozen=True, kw_only=True):
    """A page of webhooks, newest first."""

    items: tuple[Webhook, ...]
    next_cursor: str | None = None


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt to deliver: the status that came, or `error`, which says why it is no success."""

    at: str
    status: int | None = None
    latency_ms: float | None = None
    error: str | None = None


class Delivery(Struct, frozen=True, kw_only=True):
    """An event on its way to a webhook; `id` is the event's, and the `webhook-id` of all attempts.

    `run` is empty for a ping. `attempts` are the latest, oldest first.
    """

    id: str
    type: str
    run: str
    state: DeliveryState
    created_at: str
    next_attempt_at: str | None
    attempts: tuple[Attempt, ...]


class DeliveryPage(Struct, frozen=True, kw_only=True):
    """A page of deliveries, newest event first."""

    items: tuple[Delivery, ...]
    next_cursor: str | None = None


class EndedRun(Struct, frozen=True, kw_only=True):
    """The run that an event is about; `test_set` is an id, `links` are paths of the API."""

    id: str
    status: RunStatus
    label: str
    test_set: str
    test_set_name: str
    links: dict[str, str]


class WebhookEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is sent. `timestamp` is when the run ended; `data` is missing from a ping.

    Where an alert has something to say, `data` is the run that it looked at last.
    """

    type: str
    timestamp: str
    data: EndedRun | None = None
    alert: AlertNotice | None = None
