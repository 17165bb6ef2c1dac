"""Requests about webhooks, one function a route."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from reteval._requests import JSON, Call, segment
from reteval.contract.webhooks import (
    Delivery,
    DeliveryPage,
    RotationRequest,
    Webhook,
    WebhookPage,
    WebhookRequest,
    WebhookSecret,
)

T = TypeVar("T")
Asked = WebhookRequest | Mapping[str, Any]


def post_webhook(request: Asked) -> Call[WebhookSecret]:
    """Register a webhook."""
    return _send("POST", "", WebhookSecret, request)


def put_webhook(webhook_id: str, request: Asked) -> Call[Webhook]:
    """Change a webhook."""
    return _send("PUT", _path(webhook_id), Webhook, request)


def post_rotation(webhook_id: str, grace_s: int) -> Call[WebhookSecret]:
    """Make a new secret."""
    request = RotationRequest(grace_s=grace_s)
    return _send("POST", _path(webhook_id, "rotate"), WebhookSecret, request)


def get_webhooks(limit: int | None = None) -> Call[WebhookPage]:
    """List webhooks, newest first."""
    return _get("", WebhookPage, limit)


def get_webhook(webhook_id: str) -> Call[Webhook]:
    """Read a webhook."""
    return _get(_path(webhook_id), Webhook)


def delete_webhook(webhook_id: str) -> Call[None]:
    """Delete a webhook and its log."""
    return Call(
        method="DELETE",
        path=f"/v1/webhooks{_path(webhook_id)}",
        expect=type(None),
        repeatable=True,
    )


def post_ping(webhook_id: str) -> Call[Delivery]:
    """Send an event about nothing."""
    return _send("POST", _path(webhook_id, "ping"), Delivery)


def get_deliveries(webhook_id: str, limit: int | None = None) -> Call[DeliveryPage]:
    """List deliveries, newest event first."""
    return _get(_path(webhook_id, "deliveries"), DeliveryPage, limit)


def get_delivery(webhook_id: str, delivery_id: str) -> Call[Delivery]:
    """Read a delivery with its attempts."""
    return _get(_path(webhook_id, "deliveries", delivery_id), Delivery)


def post_replay(webhook_id: str, delivery_id: str) -> Call[Delivery]:
    """Deliver once more."""
    return _send("POST", _path(webhook_id, "deliveries", delivery_id, "replay"), Delivery)


def _path(*steps: str) -> str:
    return "".join(f"/{segment(step)}" for step in steps)


def _get(rest: str, expect: type[T], limit: int | None = None) -> Call[T]:
    return Call(
        method="GET",
        path=f"/v1/webhooks{rest}",
        expect=expect,
        params={} if limit is None else {"limit": str(limit)},
        headers={"accept": JSON},
        repeatable=True,
    )


def _send(method: str, rest: str, expect: type[T], document: object = None) -> Call[T]:
    return Call(
        method=method,
        path=f"/v1/webhooks{rest}",
        expect=expect,
        headers={"accept": JSON} if document is None else {"content-type": JSON},
        content=None if document is None else msgspec.json.encode(document),
        repeatable=method == "PUT",
        keyed=method == "POST",
    )
