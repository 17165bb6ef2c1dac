"""A receiver of webhooks on a real socket: keeps what it is sent, answers as it is told."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct


class Message(Struct, frozen=True):
    """A request as it came; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """Answers with `statuses` in turn, then with 204; `messages` holds what came, in order.

    `before` is called with each message before it is answered.
    """

    daemon_threads = True

    def __init__(
        self,
        statuses: Sequence[int] = (),
        *,
        answer: bytes = b"",
        before: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.before = before
        self.statuses = list(statuses)
        self.answer = answer
        self.messages: list[Message] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}/hook?team=search"

    def await_messages(self, count: int, *, seconds: float = 30.0) -> list[Message]:
        """Return the messages once so many are there."""
        deadline = time.monotonic() + seconds
        while len(self.messages) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(self.messages) >= count, f"{len(self.messages)} messages of {count}"
        return self.messages


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        statuses = self.server.statuses
        status = statuses.pop(0) if statuses else 204
        self.server.messages.append(Message(self.path, headers, body))
        self.server.before()
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", self.path)
        content = b"" if status == 204 else self.server.answer
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


@contextmanager
def receive(statuses: Sequence[int] = (), **options: Any) -> Iterator[Receiver]:
    """Receive until the block ends; `options` are those of `Receiver`."""
    receiver = Receiver(statuses, **options)
    thread = threading.Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()
