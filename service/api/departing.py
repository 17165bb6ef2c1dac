"""What is done with every answer as it leaves, of a route or of none."""

from http import HTTPMethod

from litestar.types import BeforeMessageSendHookHandler, Message, Scope

from service.api.envelope import stamp
from service.api.limiting import announce
from service.api.observing import Traffic
from service.api.trail import note_event


def see_off(traffic: Traffic) -> BeforeMessageSendHookHandler:
    """Return a hook that completes headers, writes the audit log and counts.

    An answer to HEAD loses its body.
    """

    async def leave(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            headers = [*message["headers"]]
            stamp(headers, scope)
            announce(headers, scope)
            message["headers"] = headers
            await note_event(message["status"], headers, scope)
            traffic.count(message["status"], scope)
        elif message["type"] == "http.response.body" and scope.get("method") == HTTPMethod.HEAD:
            message["body"] = b""

    return leave
