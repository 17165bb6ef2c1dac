"""For receivers of webhooks: is this from the service, is it fresh, and what does it say."""

import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from reteval.contract.signatures import ID, SIGNATURE, TIMESTAMP, sign
from reteval.contract.webhooks import WebhookEvent
from reteval.errors import SignatureError

TOLERANCE_S: Final = 300


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: float = TOLERANCE_S,
    clock: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Check a message and return its event.

    `secret` may be several: any of them will do, as during a rotation. `body` is the bytes as
    they came. An event may come more than once, each time with the same `webhook-id`.

    >>> verify_webhook("whsec_c2VjcmV0", {"webhook-id": "msg_1"}, b"{}")
    Traceback (most recent call last):
    reteval.errors.SignatureError: the headers ... are needed

    Raises:
        SignatureError: a header is missing, no signature fits, or the timestamp is too far from
            now.
        ValueError: a secret that is none.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent, signatures = (given[name] for name in (ID, TIMESTAMP, SIGNATURE))
        timestamp = int(sent)
    except (KeyError, ValueError) as exc:
        raise SignatureError(f"the headers {ID}, {TIMESTAMP} and {SIGNATURE} are needed") from exc
    if abs(clock() - timestamp) > tolerance_s:
        raise SignatureError("the message was sent too long ago, or the clocks differ")
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [
        sign(one, message_id=message_id, timestamp=timestamp, body=body).encode() for one in secrets
    ]
    offered = [one.encode("utf-8", "replace") for one in signatures.split()]
    # Every pair is compared, so that the time tells nothing.
    fits = [hmac.compare_digest(mine, theirs) for mine in expected for theirs in offered]
    if not any(fits):
        raise SignatureError("no signature fits the secret")
    try:
        return msgspec.json.decode(body, type=WebhookEvent)
    except msgspec.MsgspecError as exc:
        raise SignatureError("the message is signed but no event of the service") from exc
