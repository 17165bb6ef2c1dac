"""The example search service answers the default protocol, whatever the query holds."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import endpoint

SCRIPT = Path(endpoint.__file__)


@pytest.fixture(scope="module")
def server() -> Iterator[endpoint.SearchServer]:
    """Serve the help-centre documents on a free port."""
    with endpoint.start(0, endpoint.DOCUMENTS) as started:
        thread = threading.Thread(target=started.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield started
        started.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def index() -> Iterator[endpoint.Index]:
    """Index the help-centre documents."""
    opened = endpoint.Index(endpoint.DOCUMENTS)
    yield opened
    opened.close()


def ask(
    server: endpoint.SearchServer, body: bytes, *, path: str = "/search", method: str = "POST"
) -> tuple[int, dict[str, Any]]:
    """Send one request and return status and decoded body."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_search_answers_default_protocol_best_first(server: endpoint.SearchServer) -> None:
    """A hit has id, score and text, and scores fall."""
    status, answer = ask(server, b'{"query": "student discount proof", "top_k": 3}')
    scores = [hit["score"] for hit in answer["results"]]
    assert status == 200
    assert {hit["id"] for hit in answer["results"][:2]} == {"student-discount", "student-proof"}
    assert all(set(hit) == {"id", "score", "text"} for hit in answer["results"])
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_search_stems_words(index: endpoint.Index) -> None:
    """Another inflection of a word finds the same document."""
    assert index.search("punctures", 1) == index.search("puncture", 1)
    assert index.search("punctures", 1)[0]["id"] == "flat-tyre"


def test_search_returns_ten_when_top_k_is_absent(server: endpoint.SearchServer) -> None:
    """The default page holds ten hits."""
    _, answer = ask(server, b'{"query": "bike"}')
    assert len(answer["results"]) == 10


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 50_000, 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"query": 7}', 400),
        (b'{"query": null}', 400),
        (b'{"query": "a", "top_k": 0}', 400),
        (b'{"query": "a", "top_k": 1001}', 400),
        (b'{"query": "a", "top_k": true}', 400),
        (b'{"query": "a", "top_k": "3"}', 400),
        (b'{"query": "a\\ud800"}', 400),
        (b" " * 100_001, 413),
    ],
)
def test_search_refuses_bad_input_with_a_reason(
    server: endpoint.SearchServer, body: bytes, status: int
) -> None:
    """A request that cannot be read gets a 4xx and a JSON body that says why."""
    answered, answer = ask(server, body)
    assert answered == status
    assert answer["error"]


def test_search_refuses_other_paths_and_methods(server: endpoint.SearchServer) -> None:
    """Only POST /search searches."""
    body = b'{"query": "bike"}'
    assert ask(server, body, path="/")[0] == 404
    assert ask(server, b"", method="GET")[0] == 405


def test_search_refuses_a_body_of_unknown_length(server: endpoint.SearchServer) -> None:
    """A chunked body is refused and the connection closed, since its end is not looked for."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as plain:
        plain.sendall(b"POST /search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        answer = b"".join(iter(lambda: plain.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"Connection: close" in answer


def test_connection_stays_open_after_a_refusal(server: endpoint.SearchServer) -> None:
    """Two requests, the first one bad, travel over one connection."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    statuses = []
    sockets = set()
    for body in (b"{", b'{"query": "helmet"}'):
        connection.request("POST", "/search", body)
        sockets.add(connection.sock)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    connection.close()
    assert statuses == [400, 200]
    assert len(sockets) == 1


@pytest.mark.parametrize(
    "query",
    [
        "what's the helmet's price",
        'helmet "half a phrase',
        "helmet [a",
        "helmet:",
        "title:helmet^2~",
        "helmet (b)-(d)",
        "-helmet -x helmet",
        "OR AND NOT helmet",
        "helmet * ?",
        "NEAR(helmet bike)",
        "first line\nhelmet",
        "helmet \0 x",
        "helmet \u202e \u200b",
        "Helmet, Sons & Co.",
    ],
)
def test_search_finds_the_word_beside_odd_syntax(index: endpoint.Index, query: str) -> None:
    """Punctuation and operators around a word never hide its documents."""
    assert "helmet" in [hit["id"] for hit in index.search(query, 100)]


@pytest.mark.parametrize("query", ["", "   ", "\u3000", "\0", "***", "_", "🙂", '"'])
def test_search_without_a_word_is_empty(index: endpoint.Index, query: str) -> None:
    """A query without any word finds nothing, and breaks nothing."""
    assert index.search(query, 10) == []


@given(query=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_search_accepts_any_text(index: endpoint.Index, query: str) -> None:
    """No text is a syntax error."""
    assert len(index.search(query, 5)) <= 5


def test_search_reads_a_query_of_thousands_of_words_to_its_end(index: endpoint.Index) -> None:
    """The only known word may be the last of very many."""
    words = " ".join(f"w{number}" for number in range(5_000))
    assert index.search(f"{words} tricycles", 1)[0]["id"] == "adaptive-bikes"


def test_command_announces_itself_and_stops_on_sigterm(tmp_path: Path) -> None:
    """The program prints its URL when it serves and ends with 0 when told to stop."""
    documents = tmp_path / "documents.jsonl"
    documents.write_text('{"id": 7, "text": "seven swans"}\n\n', encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "--documents", str(documents)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        word, url = process.stdout.readline().split()
        connection = HTTPConnection(url.removeprefix("http://").removesuffix("/search"))
        connection.request("POST", "/search", b'{"query": "swan"}')
        answer = json.loads(connection.getresponse().read())
        connection.close()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    assert word == "ready"
    assert [hit["id"] for hit in answer["results"]] == ["7"]


@pytest.mark.parametrize("content", [None, "{", '{"id": "a"}'])
def test_command_names_documents_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    """A missing or broken file ends the program with 1 and one line, no traceback."""
    documents = tmp_path / "documents.jsonl"
    if content is not None:
        documents.write_text(content, encoding="utf-8")
    before = signal.getsignal(signal.SIGTERM)
    try:
        status = endpoint.main(["--documents", str(documents)])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert status == 1
    assert capsys.readouterr().err.startswith("endpoint: ")
