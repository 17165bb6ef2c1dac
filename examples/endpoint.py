"""A small search service to evaluate: SQLite full-text search (BM25) behind HTTP, stdlib only.

`POST /search` with `{"query": "…", "top_k": 10}` answers `{"results": [{"id", "score", "text"}]}`,
best first. Run it beside anything that speaks HTTP:

    python examples/endpoint.py --port 9000 --documents examples/helpcentre/documents.jsonl
"""

import argparse
import json
import re
import signal
import sqlite3
import sys
import threading
import unicodedata
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, NoReturn

DOCUMENTS: Final = Path(__file__).parent / "helpcentre" / "documents.jsonl"
MAX_BODY_BYTES: Final = 100_000
MAX_TOP_K: Final = 1_000
IDLE_S: Final = 60
_WORD: Final = re.compile(r"[^\W_]+")

_CREATE: Final = """
CREATE VIRTUAL TABLE documents
USING fts5(id UNINDEXED, title, text, tokenize = 'porter unicode61')
"""
_SEARCH: Final = """
SELECT id, -bm25(documents, 0.0, 2.0, 1.0), title || char(10) || text
FROM documents WHERE documents MATCH ? ORDER BY bm25(documents, 0.0, 2.0, 1.0), rowid LIMIT ?
"""


class BadRequestError(Exception):
    """A request that gets a 4xx answer; the message is for the caller."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Index:
    """Documents in an in-memory FTS5 table; `search` may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(_CREATE)
        self._database.executemany("INSERT INTO documents VALUES (?, ?, ?)", _read(path))

    def search(self, query: str, top_k: int) -> list[dict[str, Any]]:
        """Return at most `top_k` documents that share a word with `query`, best BM25 first."""
        expression = match_any(query)
        if not expression:
            return []
        with self._lock:
            rows = self._database.execute(_SEARCH, (expression, top_k)).fetchall()
        return [{"id": id_, "score": score, "text": text} for id_, score, text in rows]

    def close(self) -> None:
        """Give the table's memory back."""
        self._database.close()


def match_any(query: str) -> str:
    """Write `query` as an FTS5 expression: each word quoted, any of them enough.

    Only letters and digits reach SQLite, so that no colon, bracket or word such as NOT is read
    as an operator, and no NUL ends the string early.
    """
    words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", query)))
    return " OR ".join(f'"{word}"' for word in words)


def _read(path: Path) -> list[tuple[str, str, str]]:
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return [(str(row["id"]), row.get("title", ""), row["text"]) for row in rows]


class SearchServer(ThreadingHTTPServer):
    """The listening socket and the index its handlers search."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], index: Index) -> None:
        super().__init__(address, SearchHandler)
        self.index = index

    @property
    def url(self) -> str:
        """Where searches are answered."""
        return f"http://127.0.0.1:{self.server_port}/search"

    def server_close(self) -> None:
        """Close the socket and the index."""
        super().server_close()
        self.index.close()


class SearchHandler(BaseHTTPRequestHandler):
    """Answers searches over connections that stay open."""

    server: SearchServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave in one send
    timeout = IDLE_S

    def do_POST(self) -> None:
        """Search, or say what is wrong with the request."""
        try:
            query, top_k = read_request(self._read_body())
        except BadRequestError as exc:
            self._answer(exc.status, {"error": str(exc)})
        else:
            self._answer(HTTPStatus.OK, {"results": self.server.index.search(query, top_k)})

    def do_GET(self) -> None:
        """Point to the method that works."""
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED, {"error": "POST your search to /search"})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited name
        """Stay silent: a line for each of thousands of searches helps nobody."""

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise BadRequestError(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length")
        if len(length) > len(str(MAX_BODY_BYTES)) or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            raise BadRequestError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send at most {MAX_BODY_BYTES} bytes"
            )
        body = self.rfile.read(int(length))
        if self.path != "/search":
            raise BadRequestError(HTTPStatus.NOT_FOUND, "POST your search to /search")
        return body

    def _answer(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        body = json.dumps(document, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def read_request(body: bytes) -> tuple[str, int]:
    """Read a search request.

    Raises:
        BadRequestError: not JSON, or not the default protocol.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise _refusal("the body is not JSON") from exc
    if not isinstance(request, dict):
        raise _refusal('send an object: {"query": "…", "top_k": 10}')
    query, top_k = request.get("query"), request.get("top_k", 10)
    if not isinstance(query, str):
        raise _refusal("query must be a string")
    if type(top_k) is not int or not 1 <= top_k <= MAX_TOP_K:
        raise _refusal(f"top_k must be an integer from 1 to {MAX_TOP_K}")
    try:
        query.encode()
    except UnicodeEncodeError as exc:
        raise _refusal("query holds half of a surrogate pair") from exc
    return query, top_k


def _refusal(message: str) -> BadRequestError:
    return BadRequestError(HTTPStatus.BAD_REQUEST, message)


def start(port: int, documents: Path) -> SearchServer:
    """Index `documents` and listen on a loopback port (0: any free one)."""
    return SearchServer(("127.0.0.1", port), Index(documents))


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted; prints `ready URL` once searches are answered."""
    parser = argparse.ArgumentParser(
        description="A BM25 search service over a file of documents.",
        epilog="example: python examples/endpoint.py --port 9000",
    )
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one (default)")
    parser.add_argument(
        "--documents", type=Path, default=DOCUMENTS, help="JSON lines of id, title and text"
    )
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, _stop)
    try:
        with start(arguments.port, arguments.documents) as server:
            print(f"ready {server.url}", flush=True)
            server.serve_forever()
    except (OSError, ValueError, KeyError, OverflowError) as exc:
        print(f"endpoint: {exc}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
