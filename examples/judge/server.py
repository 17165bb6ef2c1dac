"""A fake judge behind HTTP, as any OpenAI-compatible chat server; standard library only.

`POST …/chat/completions` and `GET …/models`; whatever stands before does not matter.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from examples.judge.answering import complete, read_question
from examples.judge.oracle import Oracle
from examples.judge.scenarios import SCENARIOS

FAMILY: Final = "fake"
IDLE_S: Final = 60
DRIP_S: Final = 0.05
CHUNK: Final = b" " * 65_536
HUGE_BYTES: Final = 1_000 * len(CHUNK)
RETRY_AFTER_S: Final = 1
_REJECTED: Final = {"rejects_json_object": "json_object", "rejects_json_schema": "json_schema"}
_BROKEN: Final = {
    "400": (HTTPStatus.BAD_REQUEST, "this model takes no such request", "invalid_request_error"),
    "401": (HTTPStatus.UNAUTHORIZED, "no valid key", "invalid_api_key"),
    "error_200": (HTTPStatus.OK, "the provider is overloaded", "overloaded"),
}
_ONCE: Final = {
    "429_retry_after": (HTTPStatus.TOO_MANY_REQUESTS, "slow down", "rate_limit_exceeded"),
    "500_then_ok": (HTTPStatus.INTERNAL_SERVER_ERROR, "something broke", "server_error"),
}


@dataclass(frozen=True)
class Received:
    """A request as it came; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float


class JudgeServer(ThreadingHTTPServer):
    """The listening socket, what the judge knows, and `log`: every chat request in order."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, oracle: Oracle, *, port: int = 0, delay_s: float = 5.0) -> None:
        super().__init__(("127.0.0.1", port), JudgeHandler)
        self.oracle = oracle
        self.delay_s = delay_s
        self.log: list[Received] = []
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL, to which clients add `/chat/completions`."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def note(self, received: Received) -> int:
        """Keep a request; returns how often the same one came before."""
        name = json.dumps(received.body, sort_keys=True)
        with self._lock:
            self.log.append(received)
            self._counts[name] += 1
            return self._counts[name] - 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Let callers hang up: those who were kept waiting do."""


class JudgeHandler(BaseHTTPRequestHandler):
    """Answers chats over connections that stay open."""

    server: JudgeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave in one send
    timeout = IDLE_S

    def do_GET(self) -> None:
        """List the models, one a scenario."""
        if not self.path.endswith("/models"):
            self._fail(HTTPStatus.NOT_FOUND, "ask for /models", "not_found")
            return
        names = [f"{FAMILY}-{scenario}" for scenario in SCENARIOS]
        models = [{"id": name, "object": "model", "owned_by": FAMILY} for name in names]
        self._answer(HTTPStatus.OK, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """Judge, in the way that the model's name asks for."""
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", ""))))
            question = read_question(body)
        except (ValueError, AttributeError) as exc:
            self.close_connection = True
            self._fail(HTTPStatus.BAD_REQUEST, f"cannot be read: {exc}", "invalid_request_error")
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = self.server.note(Received(self.path, headers, body, time.monotonic()))
        if not self.path.partition("?")[0].endswith("/chat/completions"):
            self._fail(HTTPStatus.NOT_FOUND, "post to /chat/completions", "not_found")
        elif question.scenario not in SCENARIOS:
            self._fail(HTTPStatus.NOT_FOUND, f"no model {question.model}", "model_not_found")
        elif not self._break(question.scenario, body, seen=seen):
            self._send(question.scenario, complete(self.server.oracle, question))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
        """Stay silent: a line for each of thousands of pairs helps nobody."""

    def _break(self, scenario: str, body: dict[str, Any], *, seen: int) -> bool:
        """Answer with an error where the scenario has one; tells whether it did."""
        form = (body.get("response_format") or {}).get("type")
        if form and _REJECTED.get(scenario) == form:
            message = f"'response_format.type' must not be '{form}'"
            self._fail(HTTPStatus.BAD_REQUEST, message, "invalid_request_error")
        elif scenario in _BROKEN:
            self._fail(*_BROKEN[scenario])
        elif scenario in _ONCE and not seen:
            self._fail(*_ONCE[scenario])
        else:
            return False
        return True

    def _send(self, scenario: str, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        if scenario == "slow":
            time.sleep(self.server.delay_s)
        length = HUGE_BYTES if scenario == "huge_body" else len(body)
        self._head(HTTPStatus.OK, length)
        if scenario == "drip":
            for byte in body:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(DRIP_S)
        elif scenario == "huge_body":
            for _ in range(HUGE_BYTES // len(CHUNK)):
                self.wfile.write(CHUNK)
        elif scenario == "closes_early":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def _fail(self, status: HTTPStatus, message: str, code: str) -> None:
        self._answer(status, {"error": {"message": message, "type": code, "code": code}})

    def _answer(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self._head(status, len(body))
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        if status is HTTPStatus.TOO_MANY_REQUESTS:
            self.send_header("Retry-After", str(RETRY_AFTER_S))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()


@contextmanager
def serve_judge(oracle: Oracle, *, port: int = 0, delay_s: float = 5.0) -> Iterator[JudgeServer]:
    """Serve until the block ends."""
    with JudgeServer(oracle, port=port, delay_s=delay_s) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
