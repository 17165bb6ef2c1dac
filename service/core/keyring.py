"""Opening with a key: its record by its token, remembered for a moment."""

import hashlib
import hmac
import time
from collections.abc import Callable
from typing import Final

from reteval.contract.tokens import KEY, read_token
from service.errors import UnauthorizedError
from service.store.api_keys import ApiKeyRecord, ApiKeys

REMEMBERED_S: Final = 0.5
"""A key revoked by another process opens at most so much longer."""
_MAX_REMEMBERED: Final = 10_000
_NOT_VALID: Final = "The API key is not valid here."
_NOBODY: Final = bytes(hashlib.sha256().digest_size)


class Keyring:
    """The keys that one process has seen lately."""

    def __init__(self, api_keys: ApiKeys, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._api_keys = api_keys
        self._clock = clock
        self._seen: dict[bytes, tuple[float, ApiKeyRecord]] = {}

    async def find(self, token: str) -> ApiKeyRecord:
        """Return the record of a token, whatever became of the key.

        Raises:
            UnauthorizedError: it is no token, or none of ours.
        """
        digest = digest_token(token)
        until, record = self._seen.get(digest, (0.0, None))
        if record is not None and until > self._clock():
            return record
        record = await self._read(token, digest)
        if len(self._seen) >= _MAX_REMEMBERED:
            self._seen.clear()
        self._seen[digest] = (self._clock() + REMEMBERED_S, record)
        return record

    def forget(self, key_id: str) -> None:
        """Look a key up anew when it comes next."""
        self._seen = {
            digest: (until, record)
            for digest, (until, record) in self._seen.items()
            if record.id != key_id
        }

    async def _read(self, token: str, digest: bytes) -> ApiKeyRecord:
        read = read_token(token)
        if read is None or read.prefix != KEY:
            raise UnauthorizedError(_NOT_VALID)
        record = await self._api_keys.find(f"key_{read.id}")
        # An unknown key takes as long as a known one with a wrong secret.
        if not hmac.compare_digest(digest, record.digest if record else _NOBODY) or record is None:
            raise UnauthorizedError(_NOT_VALID)
        return record


def digest_token(token: str) -> bytes:
    """Return what is stored of a token. Its secret has 256 random bits, so one hash is enough."""
    return hashlib.sha256(token.encode()).digest()
