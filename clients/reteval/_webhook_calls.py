"""Requests about webhooks, one function a route."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, delete_at, get_from, post_to, put_at, segment
from reteval.contract.webhooks import (
    Delivery,
    DeliveryPage,
    RotationRequest,
    Webhook,
    WebhookPage,
    WebhookRequest,
    WebhookSecret,
)

Asked = WebhookRequest | Mapping[str, Any]


def post_webhook(request: Asked) -> Call[WebhookSecret]:
    """Register a webhook."""
    return post_to(_path(), WebhookSecret, request, keyed=True)


def put_webhook(webhook_id: str, request: Asked) -> Call[Webhook]:
    """Change a webhook."""
    return put_at(_path(webhook_id), Webhook, request)


def post_rotation(webhook_id: str, grace_s: int) -> Call[WebhookSecret]:
    """Make a new secret."""
    request = RotationRequest(grace_s=grace_s)
    return post_to(_path(webhook_id, "rotate"), WebhookSecret, request, keyed=True)


def get_webhooks(limit: int | None = None) -> Call[WebhookPage]:
    """List webhooks, newest first."""
    return get_from(_path(), WebhookPage, limit=limit)


def get_webhook(webhook_id: str) -> Call[Webhook]:
    """Read a webhook."""
    return get_from(_path(webhook_id), Webhook)


def delete_webhook(webhook_id: str) -> Call[None]:
    """Delete a webhook and its log."""
    return delete_at(_path(webhook_id))


def post_ping(webhook_id: str) -> Call[Delivery]:
    """Send an event about nothing."""
    return post_to(_path(webhook_id, "ping"), Delivery, keyed=True)


def get_deliveries(webhook_id: str, limit: int | None = None) -> Call[DeliveryPage]:
    """List deliveries, newest event first."""
    return get_from(_path(webhook_id, "deliveries"), DeliveryPage, limit=limit)


def get_delivery(webhook_id: str, delivery_id: str) -> Call[Delivery]:
    """Read a delivery with its attempts."""
    return get_from(_path(webhook_id, "deliveries", delivery_id), Delivery)


def post_replay(webhook_id: str, delivery_id: str) -> Call[Delivery]:
    """Deliver once more."""
    path = _path(webhook_id, "deliveries", delivery_id, "replay")
    return post_to(path, Delivery, keyed=True)


def _path(*steps: str) -> str:
    return "".join(("/v1/webhooks", *(f"/{segment(step)}" for step in steps)))
