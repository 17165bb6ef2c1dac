"""What is noted of every request: its id in each log line, a span, its number and its time."""

import logging
import time
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, Final

import structlog
from litestar.datastructures import State
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Middleware, Receive, Scope, Send
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from service.api.envelope import read_header, request_id
from service.logs import REQUEST
from service.tracing import note, span

_BEGAN: Final = "began"
_OPERATION: Final = "operation"
_UNROUTED: Final = "none"
_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_log = structlog.get_logger("reteval.api")
_LEVELS: Final = logging.getLogger("reteval.api")
"""Says ten times faster than `_log` whether a line would be thrown away."""


class Traffic:
    """Requests that this process answered, by operation."""

    def __init__(self) -> None:
        # A second number for each, which nobody reads.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        answered = Counter(
            "reteval_http_requests",
            "Requests answered by this API process",
            ("operation", "status"),
            registry=self.registry,
        )
        seconds = Histogram(
            "reteval_http_request_seconds",
            "Time until the answer began, of requests that did not ask to wait",
            ("operation",),
            buckets=_BUCKETS,
            registry=self.registry,
        )

        # The library takes as long to find a series as to count in it.
        self._find_counter = cache(answered.labels)
        self._find_histogram = cache(seconds.labels)

    def count(self, status: int, scope: Scope) -> None:
        """Take note of an answer that begins."""
        operation = scope["state"].get(_OPERATION) or name_operation(scope)
        self._find_counter(operation, int(status)).inc()
        began = scope["state"].get(_BEGAN)
        if began is not None and b"wait=" not in scope["query_string"]:
            self._find_histogram(operation).observe(time.perf_counter() - began)


def observe(*, traced: bool) -> Middleware:
    """Return a layer around each route: its id in log lines, and a span where those are kept."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def observed(scope: Scope, receive: Receive, send: Send) -> None:
            state = scope["state"]
            state[_BEGAN], state[_OPERATION] = time.perf_counter(), name_operation(scope)
            bound = REQUEST.set((request_id(scope), state[_OPERATION]))
            try:
                if not traced and not _LEVELS.isEnabledFor(logging.DEBUG):
                    await app(scope, receive, send)  # nobody looks on
                else:
                    with _span(scope) if traced else nullcontext():
                        await app(scope, receive, _note_status(send))
            finally:
                REQUEST.reset(bound)

        return observed

    return wrap


def _note_status(send: Send) -> Send:
    """Return a way to send that tells the span and the log how the request was answered."""

    async def noted(message: Message) -> None:
        if message["type"] == "http.response.start":
            note(**{"http.response.status_code": int(message["status"])})
            _log.debug("request.answered", status=int(message["status"]))
        await send(message)

    return noted


def _span(scope: Scope) -> AbstractContextManager[None]:
    facts = {f"reteval.{name}": str(value) for name, value in scope["path_params"].items()}
    facts |= {
        "http.request.method": str(scope.get("method")),
        "reteval.request_id": request_id(scope),
    }
    parent = read_header(scope, b"traceparent") or ""
    return span(name_operation(scope), parent=parent, serves=True, **facts)


def name_operation(scope: Scope) -> str:
    """Return the id of the operation that a request is for; of none, where no route fits."""
    handler: Any = scope.get("route_handler")
    if isinstance(handler, HTTPRouteHandler) and isinstance(handler.operation_id, str):
        return handler.operation_id
    return _UNROUTED


def find_traffic(state: State) -> Traffic:
    """Return the numbers of this process."""
    traffic: Traffic = state.traffic
    return traffic
