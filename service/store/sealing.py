"""Secrets at rest, of endpoints and webhooks, under the operator's key.

Fernet: AES-128-CBC with HMAC-SHA-256.
"""

from collections.abc import Sequence

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from service.errors import SecretsUnavailableError

_OF_MODEL = ":model:"
"""No header's name has a colon in it."""
_HINT = "the operator sets RETEVAL_SECRET_KEY to a Fernet key, the same for the API and all workers"


def seal(secret_key: str, values: dict[str, str]) -> bytes:
    """Encrypt values by name, such as those of headers.

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
        raise SecretsUnavailableError(f"The key does not fit these secrets: {_HINT}.") from exc


def join_headers(endpoint: dict[str, str], model: dict[str, str]) -> dict[str, str]:
    """Put the headers of a run's endpoint and of its model into one to be sealed."""
    return endpoint | {f"{_OF_MODEL}{name}": value for name, value in model.items()}


def split_headers(joined: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers of the endpoint and of the model; undoes `join_headers`."""
    model = {
        name.removeprefix(_OF_MODEL): value
        for name, value in joined.items()
        if name.startswith(_OF_MODEL)
    }
    return {name: joined[name] for name in joined if not name.startswith(_OF_MODEL)}, model


def join_numbered(headers: Sequence[dict[str, str]]) -> dict[str, str]:
    """Put the headers of several endpoints into one to be sealed."""
    return {
        f"{number}:{name}": value
        for number, own in enumerate(headers)
        for name, value in own.items()
    }


def split_numbered(joined: dict[str, str], count: int) -> list[dict[str, str]]:
    """Return the headers of each of so many endpoints; undoes `join_numbered`."""
    found: list[dict[str, str]] = [{} for _ in range(count)]
    for name, value in joined.items():
        number, _, header = name.partition(":")
        found[int(number)][header] = value
    return found


def _fernet(secret_key: str) -> Fernet:
    if not secret_key:
        raise SecretsUnavailableError(f"Secrets cannot be stored: {_HINT}.")
    try:
        return Fernet(secret_key)
    except ValueError as exc:
        raise SecretsUnavailableError(f"The configured key is not a Fernet key: {_HINT}.") from exc
