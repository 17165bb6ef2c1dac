"""Endpoint secrets at rest: Fernet (AES-128-CBC with HMAC-SHA-256) under the operator's key."""

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from service.errors import SecretsUnavailableError

_HINT = "the operator sets RETEVAL_SECRET_KEY to a Fernet key, the same for the API and all workers"


def seal(secret_key: str, values: dict[str, str]) -> bytes:
    """Encrypt header values.

    Raises:
        SecretsUnavailableError: no usable key is configured.
    """
    return _fernet(secret_key).encrypt(msgspec.json.encode(values))


def unseal(secret_key: str, sealed: bytes) -> dict[str, str]:
    """Decrypt what `seal` made.

    Raises:
        SecretsUnavailableError: no key, or not the one it was sealed with.
    """
    try:
        return msgspec.json.decode(_fernet(secret_key).decrypt(sealed), type=dict[str, str])
    except InvalidToken as exc:
        raise SecretsUnavailableError(f"The key does not fit these headers: {_HINT}.") from exc


def _fernet(secret_key: str) -> Fernet:
    if not secret_key:
        raise SecretsUnavailableError(f"Header values cannot be stored: {_HINT}.")
    try:
        return Fernet(secret_key)
    except ValueError as exc:
        raise SecretsUnavailableError(f"The configured key is not a Fernet key: {_HINT}.") from exc
