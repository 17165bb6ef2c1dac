"""The signature of a webhook, by the scheme of standardwebhooks.com; both sides compute it here."""

import base64
import binascii
import hashlib
import hmac
from typing import Final

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
PREFIX: Final = "whsec_"
_VERSION: Final = "v1,"


def sign(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message; the header holds one for each live secret.

    Raises:
        ValueError: the secret is none.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return _VERSION + base64.b64encode(digest).decode()


def new_secret(key: bytes) -> str:
    """Write a random key as a secret."""
    return PREFIX + base64.b64encode(key).decode()


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise ValueError(f"a webhook's secret is {PREFIX!r} and base64") from exc
    if not key:
        raise ValueError("a webhook's secret is not empty")
    return key
