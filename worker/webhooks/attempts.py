"""One attempt to deliver: sent through the egress boundary, judged by the status that comes."""

import random
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Final

import structlog
from yarl import URL

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from reteval.contract.webhooks import Attempt, DeliveryState, WebhookFormat
from service.egress import EgressError, Policy
from service.errors import SecretsUnavailableError
from service.settings import Settings
from service.store.bare_report import iso_time
from service.store.deliveries import Due, Verdict
from service.store.sealing import unseal
from service.store.webhooks import ADDRESS, CURRENT, OLD
from worker.search.failures import CallError
from worker.search.template import Prepared
from worker.search.transport import Transport
from worker.webhooks.messages import write_body, write_headers

MAX_ANSWER_BYTES: Final = 65_536
JITTER: Final = (0.8, 1.2)
"""A pause is varied within, so that receivers that come back are not met by all at once."""

_log = structlog.get_logger("reteval.webhooks")

Draw = Callable[[float, float], float]


async def attempt(due: Due, settings: Settings, *, draw: Draw = random.uniform) -> Verdict:
    """Make one attempt and judge it; what nobody foresaw is a failure like others."""
    try:
        made, blocked = await _send(due, settings)
    except Exception:  # noqa: BLE001 - else it would be tried for ever, and hold up all after it
        _log.exception("webhook.internal_error", webhook=due.webhook, event_id=due.event)
        made = Attempt(at=iso_time(due.now_ms), error="the service failed; its log has the cause")
        blocked = False
    if made.error is None:
        return Verdict(state=DeliveryState.DELIVERED, attempt=made)
    gone = made.status == HTTPStatus.GONE
    pauses = settings.webhook_retries_s
    again = due.tries < len(pauses) and not gone
    return Verdict(
        state=DeliveryState.PENDING if again else DeliveryState.FAILED,
        attempt=made,
        wait_s=pauses[due.tries] * draw(*JITTER) if again else 0.0,
        patience_s=0.0 if gone else settings.webhook_patience_s,
        reason=_explain(made, settings.webhook_patience_s),
        blocked=blocked,
    )


async def _send(due: Due, settings: Settings) -> tuple[Attempt, bool]:
    """Send, and tell what came of it, and whether it was not let out."""
    at = iso_time(due.now_ms)
    policy = Policy.parse(settings.egress, settings.egress_allow, own=settings.own_addresses())
    limits = Limits(
        concurrency=1,
        timeout_s=settings.webhook_timeout_s,
        max_response_bytes=MAX_ANSWER_BYTES,
    )
    body = write_body(due)
    try:
        secrets = unseal(settings.secret_key, due.sealed)
        target = policy.check_url(secrets.get(ADDRESS, due.url))
        headers = write_headers(due, body, _find_signers(due, secrets))
        async with Transport(target, limits=limits, policy=policy) as transport:
            reply = await transport.send(
                Prepared("POST", URL(target.url, encoded=True), headers, body)
            )
    except CallError as exc:
        # What the receiver says in a body that is too long, or packed, is none of our business.
        error = exc.detail if exc.http_status is None else _judge(exc.http_status)
        made = Attempt(at=at, status=exc.http_status, latency_ms=exc.latency_ms, error=error)
        return made, exc.code is FailureCode.BLOCKED
    except (EgressError, SecretsUnavailableError) as exc:
        return Attempt(at=at, error=str(exc)), isinstance(exc, EgressError)
    made = Attempt(
        at=at, status=reply.status, latency_ms=reply.latency_ms, error=_judge(reply.status)
    )
    return made, False


def _judge(status: int) -> str | None:
    """Return why a status is no success; None if it is one."""
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    if status < HTTPStatus.BAD_REQUEST:
        return f"HTTP {status}: redirects are not followed; register the address itself"
    return f"HTTP {status}"


def _explain(made: Attempt, patience_s: float) -> str:
    if made.status == HTTPStatus.GONE:
        return "the receiver answered 410: it is gone for good"
    return f"every attempt of {patience_s / 3_600:g} hours failed; the last: {made.error}"


def _find_signers(due: Due, secrets: Mapping[str, str]) -> Sequence[str]:
    """Return the secrets that sign, the newest first; what a chat gets is not signed."""
    if due.format is WebhookFormat.SLACK:
        return ()
    names = (CURRENT, OLD) if due.old_secret else (CURRENT,)
    return [secrets[name] for name in names]
