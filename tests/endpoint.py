"""A search endpoint on a real socket that answers as a test says, and keeps what it was sent."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from msgspec import Struct

Answer = Callable[[str], tuple[int, Any]]
"""From a query text to a status and a JSON body."""


class Received(Struct, frozen=True):
    """A request as it came: its text, its headers in lower case, and when by `time.monotonic`."""

    text: str
    headers: dict[str, str]
    at: float


class Endpoint(ThreadingHTTPServer):
    """The default protocol; `log` holds what came, in order."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.log: list[Received] = []

    def reply(self, received: Received) -> tuple[int, Any]:
        """Answer a request that has been noted."""
        return self.answer(received.text)

    @property
    def seen(self) -> list[str]:
        """The texts that were searched for."""
        return [received.text for received in self.log]

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of each request."""
        return [received.headers for received in self.log]

    @property
    def url(self) -> str:
        """Where searches are to be posted."""
        return f"http://127.0.0.1:{self.server_address[1]}/search"

    def handle_error(self, request: object, client_address: object) -> None:
        """Let callers hang up: cancelled runs do."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


E = TypeVar("E", bound=ThreadingHTTPServer)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(body["query"], headers, time.monotonic())
        self.server.log.append(received)
        send_json(self, *self.server.reply(received))

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


def send_json(handler: BaseHTTPRequestHandler, status: int, document: object) -> None:
    """Answer a request with a document."""
    content = json.dumps(document).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def serve_answers(answer: Answer) -> Iterator[Endpoint]:
    """Serve answers until the block ends."""
    with serve(Endpoint(answer)) as endpoint:
        yield endpoint


@contextmanager
def serve(server: E) -> Iterator[E]:
    """Serve until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def rankings(lists: dict[str, list[Any]]) -> Answer:
    """Answer each text with its list of ids."""
    return lambda text: (200, {"results": [{"id": doc} for doc in lists[text]]})
