"""Looking documents up: which of the judged ids an endpoint knows."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from reteval.contract.endpoints import Endpoint
from service.egress import Policy
from tests.searching import LIMITS, Naps
from worker.search.lookup import look_up, spread


class _Documents(BaseHTTPRequestHandler):
    """Knows what begins with `a`, is broken for `x`, and keeps what was asked."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.asked.append((self.path, self.headers.get("X-Api-Key")))
        self.send_response({"a": 200, "x": 500}.get(name[:1], 404))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


@pytest.fixture
def documents() -> Iterator[str]:
    """Serve documents."""
    _Documents.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Documents)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_lookup_counts_known_missing_and_failed(documents: str) -> None:
    """200 is known, 404 is not, anything else says nothing; the headers go along."""
    endpoint = Endpoint(
        url=f"{documents}/search", lookup=f"{documents}/docs/{{{{id}}}}", headers={"X-Api-Key": "k"}
    )
    found = await look_up(
        endpoint,
        ["a/1", "b", "x", ".", "a 2"],
        limits=LIMITS,
        policy=Policy.parse("loopback"),
        pacer=Naps().pacer(),
    )
    assert (found.asked, found.found, found.missing, found.failed) == (5, 2, 1, 2)
    assert found.examples == ("b",)
    assert ("/docs/a%2F1", "k") in _Documents.asked
    assert ("/docs/a%202", "k") in _Documents.asked


@pytest.mark.parametrize(
    "lookup", ["http://other.example/{{id}}", "ftp://127.0.0.1/{{id}}", "http://127.0.0.1:9/{{id}}"]
)
async def test_lookup_goes_nowhere_else(lookup: str) -> None:
    """Headers would go along, so that another origin is never asked."""
    found = await look_up(
        Endpoint(url="http://127.0.0.1:8/", lookup=lookup),
        ["a"],
        limits=LIMITS,
        policy=Policy.parse("loopback"),
    )
    assert (found.asked, found.failed) == (1, 1)


async def test_lookup_without_an_answer_and_when_stopped() -> None:
    """Nobody there, or a job that is to stop: nothing is known, and nothing is missing."""
    endpoint = Endpoint(url="http://127.0.0.1:9/", lookup="http://127.0.0.1:9/{{id}}")
    policy = Policy.parse("loopback")
    gone = await look_up(endpoint, ["a"], limits=LIMITS, policy=policy, pacer=Naps().pacer())
    stopped = await look_up(endpoint, ["a"], limits=LIMITS, policy=policy, stopping=lambda: True)
    assert (gone.failed, gone.missing) == (stopped.failed, stopped.missing) == (1, 0)


def test_spread_takes_from_all() -> None:
    """At most so many, from one end to the other."""
    ids = [str(i) for i in range(1_000)]
    assert spread(ids, 4) == ["0", "250", "500", "750"]
    assert spread(ids[:3], 4) == ["0", "1", "2"]
