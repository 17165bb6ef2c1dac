"""Remembers exchanges with an endpoint in a form fit to be shown: secrets masked, texts cut."""

import asyncio
import re
from typing import Final

from msgspec import Struct
from yarl import URL

from reteval.contract.endpoints import Endpoint
from reteval.contract.probes import SentRequest
from worker.search.scrubbing import Scrubber
from worker.search.template import Prepared
from worker.search.transport import Reply

MASK: Final = "***"
MAX_SHOWN: Final = 4_096
_OWN: Final = frozenset(
    {"accept", "accept-encoding", "content-type", "user-agent", "x-reteval-run"}
)
_SECRET_NAME: Final = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|signature|session", re.IGNORECASE
)


class Seen(Struct, frozen=True, kw_only=True):
    """A request as it left; its reply, or None where none came."""

    request: SentRequest
    reply: Reply | None

    @property
    def content_type(self) -> str:
        """What the reply says it is."""
        return "" if self.reply is None else self.reply.headers.get("content-type", "")

    @property
    def body(self) -> bytes:
        """The reply's body; empty where there is none."""
        return b"" if self.reply is None else self.reply.body


class Witness:
    """Keeps the last exchange of each task; use `see` as the tap of a searcher."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._scrubber = Scrubber(endpoint.headers)
        self._last: dict[object, tuple[Prepared, Reply | None]] = {}
        self._closed = False

    def see(self, request: Prepared, reply: Reply | None) -> None:
        """Take note of a request, then of its reply."""
        if not self._closed:
            self._last[asyncio.current_task()] = (request, reply)

    def take(self) -> Seen | None:
        """Return the last exchange of this task, once."""
        last = self._last.pop(asyncio.current_task(), None)
        return None if last is None else Seen(request=self._show(last[0]), reply=last[1])

    def close(self) -> None:
        """Take no further note, and forget what was not taken."""
        self._closed = True
        self._last.clear()

    def clean(self, text: str) -> str:
        """Return a text without secrets and control characters, cut."""
        return self._scrubber.clean(text, most=MAX_SHOWN)

    def mask(self, text: str) -> str:
        """Return a text as it is but for the secrets."""
        return self._scrubber.mask(text)

    def _show(self, request: Prepared) -> SentRequest:
        body = request.body
        return SentRequest(
            method=request.method,
            url=self.clean(mask_url(str(request.url))),
            headers={
                name: self.clean(value) if name.lower() in _OWN else MASK
                for name, value in request.headers.items()
            },
            body=None if body is None else self.clean(body.decode(errors="replace")),
        )


def mask_url(text: str) -> str:
    """Return a URL without user and password, and without values of telling parameters."""
    url = URL(text, encoded=True).with_user(None)
    head, mark, query = str(url).partition("?")
    parts = [_mask_pair(pair) for pair in query.split("&")] if mark else []
    return f"{head}{mark}{'&'.join(parts)}"


def _mask_pair(pair: str) -> str:
    name, mark, value = pair.partition("=")
    return f"{name}{mark}{MASK}" if value and _SECRET_NAME.search(name) else pair
