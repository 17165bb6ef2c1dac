import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from reteval.contract.limits import MAX_JSON_BYTES

LINE = b'{"query": "how do I reset part %d", "relevant_ids": ["d%d"]}\n'
LINES = b"".join(LINE % (number, number) for number in range(500))
NDJSON = {"Content-Type": "application/x-ndjson"}


async def upload(client: httpx.AsyncClient, content: Any, **headers: str) -> httpx.Response:
    """Upload a stream of queries."""
    return await client.post("/v1/test-sets", content=content, headers={**NDJSON, **headers})


async def test_packed_upload_is_the_same_set(client: httpx.AsyncClient) -> None:
    """A gzip body, in one piece or many, makes the set that the plain one makes."""
    plain = await upload(client, LINES)
    packed = gzip.compress(LINES)

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(packed), 7):
            yield packed[start : start + 7]

    for content in (packed, pieces()):
        made = await upload(client, content, **{"Content-Encoding": "GZIP"})
        assert (made.status_code, made.json()["id"]) == (200, plain.json()["id"])


async def test_packed_json_and_parts_are_read(client: httpx.AsyncClient) -> None:
    """Every body may be packed, that of a form, too."""
    body = b'{"queries": [{"query": "a", "relevant_ids": ["d"]}]}'
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    made = await client.post("/v1/test-sets", content=gzip.compress(body), headers=headers)
    assert made.status_code == 201
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f.json"\r\n\r\n'
    headers["Content-Type"] = "multipart/form-data; boundary=b"
    form = gzip.compress(part + body + b"\r\n--b--\r\n")
    same = await client.post("/v1/test-sets", content=form, headers=headers)
    assert (same.status_code, same.json()["id"]) == (200, made.json()["id"])


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"no gzip", 400, "malformed_text"),
        (gzip.compress(LINES)[:-20], 400, "malformed_text"),
        (gzip.compress(LINES) + b"x", 400, "malformed_text"),
        (gzip.compress(LINES) * 2, 400, "malformed_text"),
        (zlib.compress(LINES), 400, "malformed_text"),
        (b"", 400, "malformed_text"),
        (gzip.compress(b"[" * 50_000_000), 413, "too_large"),
        (gzip.compress(gzip.compress(LINES)), 400, "malformed_json"),
    ],
    ids=["plain", "cut", "tail", "two members", "zlib", "empty", "bomb", "twice"],
)
async def test_broken_packing_is_refused(
    client: httpx.AsyncClient, content: bytes, status: int, code: str
) -> None:
    """What is no single sound gzip stream of text is refused, and nothing is stored."""
    answer = await upload(client, content, **{"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await client.get("/v1/test-sets")).json()["items"] == []


async def test_bound_is_on_what_is_unpacked(client: httpx.AsyncClient) -> None:
    """A JSON body over its bound is refused, however small it was on the wire."""
    texts = [
        f'{{"query": "text {number:032x}", "relevant_ids": ["d"]}}' for number in range(190_000)
    ]
    body = f'{{"queries": [{",".join(texts)}]}}'.encode()
    assert len(body) > MAX_JSON_BYTES
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = await client.post("/v1/test-sets", content=gzip.compress(body), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "identity, gzip"])
async def test_other_packing_is_refused(client: httpx.AsyncClient, encoding: str) -> None:
    """415 names what is read instead."""
    answer = await upload(client, LINES, **{"Content-Encoding": encoding})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert answer.headers["Accept-Encoding"] == "gzip, identity"


async def test_slow_body_is_cut(opens: Any, redis_url: str) -> None:
    """A body that stops, or drips, is 408; one that pauses less than it may passes."""

    async def drip(*, pause_s: float, pieces: int) -> AsyncIterator[bytes]:
        for number in range(pieces):
            await asyncio.sleep(pause_s)
            yield LINE % (number, number)

    async with opens(redis_url, RETEVAL_BODY_GRACE_S="0.5") as client:
        for pause_s, pieces, status in ((0.05, 3, 201), (30, 1, 408), (0.06, 1_000, 408)):
            answer = await upload(client, drip(pause_s=pause_s, pieces=pieces))
            assert answer.status_code == status
        assert answer.json()["code"] == "too_slow"
        assert (answer.json()["retryable"], answer.headers["Retry-After"]) == (True, "1")


async def test_lost_connection_is_no_defect(client: httpx.AsyncClient) -> None:
    """A caller that goes away in the middle of its body leaves nothing, not even an error log."""
    app: Any = client._transport.app  # type: ignore[attr-defined]
    sent: list[dict[str, Any]] = []
    events = [
        {"type": "http.request", "body": LINES, "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return events.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/test-sets",
        "raw_path": b"/v1/test-sets",
        "query_string": b"",
        "headers": [(b"content-type", b"application/x-ndjson")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
        "extensions": {},
    }
    await app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert (await client.get("/v1/test-sets")).json()["items"] == []
