"""Routes of `/v1/webhooks`: register, read, change, rotate, ping, and the log of deliveries."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.webhooks import (
    Delivery,
    DeliveryPage,
    RotationRequest,
    Webhook,
    WebhookPage,
    WebhookRequest,
    WebhookSecret,
)
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import (
    ANSWER_HEADERS,
    REQUEST_HEADERS,
    SECRET_ERRORS,
    create_once,
)
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads, replaces
from service.api.parameters import PageParameters
from service.api.responses import answer, answer_nothing
from service.api.runs import Deployed
from service.core import webhooks
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "webhooks"
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    errors.StorageFullError,
)
_QUEUED: Final = {
    202: Answer(
        about="Queued",
        media={JSON: Delivery},
        headers={"Location": "The delivery's address.", **ANSWER_HEADERS},
    )
}
_QUEUE_ERRORS: Final = (
    errors.NotFoundError,
    errors.WebhookDisabledError,
    errors.InvalidError,
    *KEY_ERRORS,
    errors.StorageFullError,
)


@creates(
    "/webhooks",
    Operation(
        id="createWebhook",
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.WEBHOOK_CREATED,
        tag=_TAG,
        summary="Register a webhook",
        about="The answer holds the secret that signs, which is stored encrypted and shown once.",
        answers={
            201: Answer(
                about="Registered",
                media={JSON: WebhookSecret},
                headers={"Location": "The webhook's address.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: WebhookRequest},
        errors=(
            *_BODY_ERRORS,
            *SECRET_ERRORS,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
        ),
    ),
)
async def create_webhook(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Register a new webhook."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), WebhookRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await webhooks.create_webhook(backend, asked, idempotency=held)
        return answer(made, status=201, headers={"Location": f"/v1/webhooks/{made.id}"})

    return await create_once(request, backend, make, secret=True)


@reads(
    "/webhooks",
    Operation(
        id="listWebhooks",
        scope=Scope.RUNS_READ,
        tag=_TAG,
        summary="List webhooks, newest first",
        answers={200: Answer(about="A page", media={JSON: WebhookPage})},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_webhooks(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of webhooks."""
    sent = read_query(request, PageParameters)
    return answer(await webhooks.list_webhooks(backend, cursor=sent.cursor, limit=sent.limit))


@reads(
    "/webhooks/{webhook_id:str}",
    Operation(
        id="getWebhook",
        scope=Scope.RUNS_READ,
        tag=_TAG,
        summary="Read a webhook",
        answers={200: Answer(about="The webhook", media={JSON: Webhook})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_webhook(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Answer a webhook without its secret."""
    read_query(request, NoParameters)
    return answer(await webhooks.get_webhook(backend, webhook_id))


@replaces(
    "/webhooks/{webhook_id:str}",
    Operation(
        id="replaceWebhook",
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.WEBHOOK_CHANGED,
        tag=_TAG,
        summary="Change a webhook, or switch it on or off",
        about="The secret stays. Switched on again, a webhook gets what has waited for it.",
        answers={200: Answer(about="Changed", media={JSON: Webhook})},
        body={JSON: WebhookRequest},
        errors=(*_BODY_ERRORS, errors.NotFoundError, errors.EndpointNotAllowedError),
    ),
)
async def replace_webhook(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Change a webhook."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), WebhookRequest)
    return answer(await webhooks.replace_webhook(backend, webhook_id, asked))


@deletes(
    "/webhooks/{webhook_id:str}",
    Operation(
        id="deleteWebhook",
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.WEBHOOK_DELETED,
        tag=_TAG,
        summary="Delete a webhook and its log",
        about="What waits to be delivered to it is not delivered any more.",
        answers={204: Answer(about="Deleted")},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def delete_webhook(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Delete a webhook, its secret and its log."""
    read_query(request, NoParameters)
    await webhooks.delete_webhook(backend, webhook_id)
    return answer_nothing()


@creates(
    "/webhooks/{webhook_id:str}/rotate",
    Operation(
        id="rotateWebhook",
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.WEBHOOK_ROTATED,
        tag=_TAG,
        summary="Make a new secret",
        about="The answer holds it, once. The secret before signs along for the time of grace.",
        answers={200: Answer(about="Rotated", media={JSON: WebhookSecret}, headers=ANSWER_HEADERS)},
        headers=REQUEST_HEADERS,
        body={JSON: RotationRequest},
        errors=(
            *_BODY_ERRORS,
            *SECRET_ERRORS,
            errors.NotFoundError,
            errors.SecretsUnavailableError,
        ),
    ),
)
async def rotate_webhook(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Make a new secret."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), RotationRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await webhooks.rotate_secret(backend, webhook_id, asked, idempotency=held)
        return answer(made)

    return await create_once(request, backend, make, secret=True)


@creates(
    "/webhooks/{webhook_id:str}/ping",
    Operation(
        id="pingWebhook",
        scope=Scope.RUNS_WRITE,
        tag=_TAG,
        summary="Try a webhook out",
        about="Delivers an event of the type `ping`, as all others are delivered.",
        answers=_QUEUED,
        headers=REQUEST_HEADERS,
        errors=_QUEUE_ERRORS,
    ),
)
async def ping_webhook(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Queue an event about nothing."""
    read_query(request, NoParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        queued = await webhooks.ping_webhook(backend, webhook_id, idempotency=held)
        return _answer_queued(webhook_id, queued)

    return await create_once(request, backend, make)


@reads(
    "/webhooks/{webhook_id:str}/deliveries",
    Operation(
        id="listDeliveries",
        scope=Scope.RUNS_READ,
        tag=_TAG,
        summary="List what was delivered and what waits, newest event first",
        answers={200: Answer(about="A page", media={JSON: DeliveryPage})},
        query=PageParameters,
        errors=(errors.BadCursorError, errors.NotFoundError, errors.InvalidError),
    ),
)
async def list_deliveries(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str]
) -> Response[bytes]:
    """Answer a page of a webhook's log."""
    sent = read_query(request, PageParameters)
    return answer(
        await webhooks.list_deliveries(backend, webhook_id, cursor=sent.cursor, limit=sent.limit)
    )


@reads(
    "/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}",
    Operation(
        id="getDelivery",
        scope=Scope.RUNS_READ,
        tag=_TAG,
        summary="Read a delivery with its attempts",
        answers={200: Answer(about="The delivery", media={JSON: Delivery})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_delivery(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str], delivery_id: FromPath[str]
) -> Response[bytes]:
    """Answer a delivery."""
    read_query(request, NoParameters)
    return answer(await webhooks.get_delivery(backend, webhook_id, delivery_id))


@creates(
    "/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}/replay",
    Operation(
        id="replayDelivery",
        scope=Scope.RUNS_WRITE,
        tag=_TAG,
        summary="Deliver an event again",
        about="It comes with the same `webhook-id`, now, and with all attempts before it.",
        answers=_QUEUED,
        headers=REQUEST_HEADERS,
        errors=_QUEUE_ERRORS,
    ),
)
async def replay_delivery(
    request: AnyRequest, backend: Deployed, webhook_id: FromPath[str], delivery_id: FromPath[str]
) -> Response[bytes]:
    """Queue an event of the log once more."""
    read_query(request, NoParameters)

    async def make(held: Idempotency | None) -> Response[bytes]:
        queued = await webhooks.replay_delivery(backend, webhook_id, delivery_id, idempotency=held)
        return _answer_queued(webhook_id, queued)

    return await create_once(request, backend, make)


def _answer_queued(webhook_id: str, queued: Delivery) -> Response[bytes]:
    location = f"/v1/webhooks/{webhook_id}/deliveries/{queued.id}"
    return answer(queued, status=202, headers={"Location": location})


HANDLERS: Final = (
    create_webhook,
    list_webhooks,
    get_webhook,
    replace_webhook,
    delete_webhook,
    rotate_webhook,
    ping_webhook,
    list_deliveries,
    get_delivery,
    replay_delivery,
)
