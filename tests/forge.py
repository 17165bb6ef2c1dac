"""The comments of pull requests, as GitHub and GitLab serve them, on a real socket."""

import json
import re
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.endpoint import send_json, serve

TOKEN = "t0ken"  # noqa: S105 - opens nothing but this
_LISTS = re.compile(r"/repos/acme/search/issues/7/comments|/projects/5/merge_requests/7/notes")
_ONE = re.compile(
    r"(?:/repos/acme/search/issues/comments|/projects/5/merge_requests/7/notes)/(?P<id>\d+)"
)


class Forge(ThreadingHTTPServer):
    """Pull request 7; `states` are the bodies that each comment has had, the last one its own.

    With `closed`, whoever asks may not, as the token of a fork.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.states: list[list[str]] = [[f"comment {number}"] for number in range(120)]
        self.closed = False

    @property
    def url(self) -> str:
        """Where its API is."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def written(self) -> list[list[str]]:
        """The comments that were not there before."""
        return self.states[120:]


class _Handler(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if self._may(_LISTS.fullmatch(address.path)):
            asked = {name: int(values[0]) for name, values in parse_qs(address.query).items()}
            start = asked["per_page"] * (asked["page"] - 1)
            page = list(enumerate(self.server.states))[start : start + asked["per_page"]]
            send_json(self, 200, [{"id": number, "body": states[-1]} for number, states in page])

    def do_POST(self) -> None:
        if self._may(_LISTS.fullmatch(self.path)):
            self.server.states.append([self._read()])
            send_json(self, 201, {"id": len(self.server.states) - 1})

    def do_PATCH(self) -> None:
        match = _ONE.fullmatch(self.path)
        if match is not None and self._may(match):
            self.server.states[int(match["id"])].append(self._read())
            send_json(self, 200, {"id": int(match["id"])})

    do_PUT = do_PATCH  # noqa: N815 - the name is that of the method

    def _may(self, match: object) -> bool:
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        known = TOKEN in (sent, self.headers.get("PRIVATE-TOKEN"))
        if match and known and not self.server.closed:
            return True
        send_json(
            self, 403 if match else 404, {"message": "Resource not accessible by integration"}
        )
        return False

    def _read(self) -> str:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        return str(body)

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


def serve_forge() -> AbstractContextManager[Forge]:
    """Serve until the block ends."""
    return serve(Forge())
