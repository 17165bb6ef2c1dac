"""Webhooks: register, change, rotate, try out, see what was delivered, deliver again."""

import secrets
from typing import Final

from msgspec.structs import asdict

from reteval.contract.problems import ProblemItem
from reteval.contract.signatures import new_secret
from reteval.contract.webhooks import (
    PING,
    Delivery,
    DeliveryPage,
    RotationRequest,
    RunEvent,
    Webhook,
    WebhookFormat,
    WebhookPage,
    WebhookRequest,
    WebhookSecret,
)
from service.core.backend import Backend
from service.core.endpoint_checks import check_url
from service.core.idempotency import Idempotency
from service.egress import name_origin
from service.errors import InvalidError
from service.store.keys import new_id
from service.store.sealing import seal, unseal
from service.store.webhooks import ADDRESS, CURRENT, OLD

KEY_BYTES: Final = 24


async def create_webhook(
    backend: Backend, request: WebhookRequest, *, idempotency: Idempotency | None = None
) -> WebhookSecret:
    """Register a webhook and make its secret.

    Raises:
        EndpointNotAllowedError: its URL may not be called.
        InvalidError: there are as many as there may be.
        SecretsUnavailableError: there is no key to seal the secret with.
        IdempotencyConflictError: another process took the idempotency key over.
        ShownOnceError: it made a webhook before, whose secret nobody has.
    """
    check_url(request.url, backend.policy, pointer="/url")
    signs = request.format is WebhookFormat.SIGNED
    secret = new_secret(secrets.token_bytes(KEY_BYTES)) if signs else ""
    sealed = {CURRENT: secret} if signs else {ADDRESS: request.url}
    made = await backend.store.webhooks.put(
        backend.tenant,
        new_id("wh"),
        {
            **_fields(request),
            "secrets": seal(backend.secret_key, sealed),
            "old_secret_until_ms": 0,
        },
        new=True,
        idempotency=idempotency,
    )
    return WebhookSecret(**asdict(made), secret=secret)


async def replace_webhook(backend: Backend, webhook_id: str, request: WebhookRequest) -> Webhook:
    """Change a webhook but for its secret; enabled again, it gets what has waited.

    The URL of a chat stays where it is sent as it is shown.

    Raises:
        EndpointNotAllowedError: its URL may not be called.
        InvalidError: another format, which would need another secret.
        NotFoundError: there is none.
        SecretsUnavailableError: there is no key to seal the URL of a chat with.
    """
    known = await backend.store.webhooks.get(backend.tenant, webhook_id)
    if request.format is not known.format:
        raise _refuse("/format", "a webhook keeps its format", "Register another webhook.")
    fields, chat = _fields(request), known.format is WebhookFormat.SLACK
    if chat and request.url == known.url:
        fields["url"] = known.url
    else:
        check_url(request.url, backend.policy, pointer="/url")
        if chat:
            fields["secrets"] = seal(backend.secret_key, {ADDRESS: request.url})
    return await backend.store.webhooks.put(backend.tenant, webhook_id, fields, new=False)


async def rotate_secret(
    backend: Backend,
    webhook_id: str,
    request: RotationRequest,
    *,
    idempotency: Idempotency | None = None,
) -> WebhookSecret:
    """Make a new secret; the one before signs along for the time of grace, older ones no more.

    Raises:
        NotFoundError: there is no such webhook.
        SecretsUnavailableError: there is no key, or not the one the secret was sealed with.
        InvalidError: it signs nothing.
        IdempotencyConflictError: another process took the idempotency key over.
        ShownOnceError: it made a secret before, which nobody has.
    """
    store, tenant = backend.store.webhooks, backend.tenant
    if (await store.get(tenant, webhook_id)).format is WebhookFormat.SLACK:
        raise _refuse("", "a chat's messages are not signed", "Change its URL with PUT instead.")
    known = unseal(backend.secret_key, await store.sealed(tenant, webhook_id))
    secret = new_secret(secrets.token_bytes(KEY_BYTES))
    changed = await store.put(
        tenant,
        webhook_id,
        {
            "secrets": seal(backend.secret_key, {CURRENT: secret, OLD: known[CURRENT]}),
            "old_secret_until_ms": await store.now_ms() + 1_000 * request.grace_s,
        },
        new=False,
        idempotency=idempotency,
    )
    return WebhookSecret(**asdict(changed), secret=secret)


async def list_webhooks(backend: Backend, *, cursor: str, limit: int) -> WebhookPage:
    """Return a page of webhooks, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("webhooks", backend.tenant)
    found, position = await backend.store.webhooks.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return WebhookPage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def get_webhook(backend: Backend, webhook_id: str) -> Webhook:
    """Return a webhook without its secret.

    Raises:
        NotFoundError: there is none.
    """
    return await backend.store.webhooks.get(backend.tenant, webhook_id)


async def delete_webhook(backend: Backend, webhook_id: str) -> None:
    """Delete a webhook; what waits for it is not delivered any more.

    Raises:
        NotFoundError: there is none.
    """
    await backend.store.webhooks.delete(backend.tenant, webhook_id)


async def ping_webhook(
    backend: Backend, webhook_id: str, *, idempotency: Idempotency | None = None
) -> Delivery:
    """Send an event that is about nothing.

    Raises:
        NotFoundError: there is no such webhook.
        WebhookDisabledError: it is switched off.
        IdempotencyConflictError: another process took the key over.
    """
    return await backend.store.webhooks.queue(
        backend.tenant, webhook_id, new_id("evt"), new=PING, idempotency=idempotency
    )


async def list_deliveries(
    backend: Backend, webhook_id: str, *, cursor: str, limit: int
) -> DeliveryPage:
    """Return a page of a webhook's deliveries, newest event first.

    Raises:
        BadCursorError: the cursor belongs to another list.
        NotFoundError: there is no such webhook.
    """
    await backend.store.webhooks.get(backend.tenant, webhook_id)
    cursors = await backend.cursors()
    scope = ("deliveries", backend.tenant, webhook_id)
    found, position = await backend.store.webhooks.deliveries(
        backend.tenant, webhook_id, before=cursors.read(scope, cursor), limit=limit
    )
    return DeliveryPage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def get_delivery(backend: Backend, webhook_id: str, delivery_id: str) -> Delivery:
    """Return one delivery with its attempts.

    Raises:
        NotFoundError: there is none, or none any more.
    """
    return await backend.store.webhooks.delivery(backend.tenant, webhook_id, delivery_id)


async def replay_delivery(
    backend: Backend,
    webhook_id: str,
    delivery_id: str,
    *,
    idempotency: Idempotency | None = None,
) -> Delivery:
    """Deliver an event again, now, with all its attempts before it.

    Raises:
        NotFoundError: there is none, or none any more.
        WebhookDisabledError: the webhook is switched off.
        IdempotencyConflictError: another process took the key over.
    """
    return await backend.store.webhooks.queue(
        backend.tenant, webhook_id, delivery_id, idempotency=idempotency
    )


def _fields(request: WebhookRequest) -> dict[str, str | bytes | int]:
    """Return what a request sets; with it, an account of earlier failures is closed."""
    shown = request.url
    if request.format is WebhookFormat.SLACK:  # the rest of it lets whoever knows it write there
        shown = f"{name_origin(request.url)}/…"
    return {
        "url": shown,
        "format": request.format.value,
        "events": " ".join(event for event in RunEvent if event in request.events),
        "label": request.label,
        "test_set": request.test_set,
        "description": request.description,
        "enabled": int(request.enabled),
        "disabled_reason": "",
        "failing_since_ms": "",
    }


def _refuse(pointer: str, message: str, fix: str) -> InvalidError:
    item = ProblemItem(pointer=pointer, message=message, fix=fix)
    return InvalidError("The webhook breaks a rule.", errors=[item])
