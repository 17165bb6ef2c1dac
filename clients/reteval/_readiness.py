"""What both clients offer to find out whether there is a service, which one, and its state."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

from reteval import _flows
from reteval._async_sender import AsyncSender
from reteval._flows import Flow
from reteval._requests import JSON, Call
from reteval._sender import Sender
from reteval.contract.readiness import Readiness
from reteval.retries import Retry


class Sight(Struct, frozen=True, kw_only=True):
    """A service as it shows itself, and its clock, to the second; None where it tells no time."""

    readiness: Readiness
    clock: datetime | None


class Looker(Sender):
    """A sender that looks at the service."""

    def readiness(self) -> Sight:
        """Ask the service for its version and state, once; no key is needed.

        `ServerError` where it cannot do its work, with the reasons in `errors`.
        """
        return self._drive(see_service(self._retry))


class AsyncLooker(AsyncSender):
    """`Looker` for asyncio."""

    async def readiness(self) -> Sight:
        """Ask the service for its version and state, as `Client.readiness` does."""
        return await self._drive(see_service(self._retry))


def see_service(retry: Retry) -> Flow[Sight]:
    """Read the state of the service with the time it was told at."""
    # Not repeated: whoever looks wants to know how it is now.
    call = Call(method="GET", path="/readyz", expect=Readiness, headers={"accept": JSON})
    readiness, headers = yield from _flows.exchange_whole(call, retry)
    return Sight(readiness=readiness, clock=_clock(headers))


def _clock(headers: Mapping[str, str]) -> datetime | None:
    try:
        return parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
