"""Cursors of paged lists: opaque, signed, good only for the list they were issued for."""

import base64
import binascii
import hmac
from collections.abc import Sequence
from typing import Final

import msgspec

from service.errors import BadCursorError

_MAC_BYTES: Final = 16
_MAX_CHARS: Final = 512


class Cursors:
    """Issues and reads cursors under one key that all API processes share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def issue(self, scope: Sequence[str], position: str | None) -> str | None:
        """Return a cursor to go on at `position`; None where the list ends.

        `scope` is everything that makes the list what it is: tenant, list, sort, filters.
        """
        if position is None:
            return None
        payload = position.encode()
        return base64.urlsafe_b64encode(self._mac(scope, payload) + payload).decode().rstrip("=")

    def read(self, scope: Sequence[str], cursor: str) -> str | None:
        """Return the position that a cursor holds; None for the empty cursor of a first page.

        Raises:
            BadCursorError: not issued by this service for this list.
        """
        if not cursor:
            return None
        try:
            raw = base64.b64decode(_padded(cursor), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error) as exc:
            raise _bad() from exc
        mac, payload = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(scope, payload)):
            raise _bad()
        return payload.decode()

    def _mac(self, scope: Sequence[str], payload: bytes) -> bytes:
        signed = msgspec.json.encode(list(scope)) + b"\x00" + payload
        return hmac.digest(self._key, signed, "sha256")[:_MAC_BYTES]


def _padded(cursor: str) -> bytes:
    text = cursor[:_MAX_CHARS].encode()
    return text + b"=" * (-len(text) % 4)


def _bad() -> BadCursorError:
    return BadCursorError(
        "The cursor was not issued for this list; leave it out to begin at the first page, and "
        "keep sort and filters the same from page to page."
    )
