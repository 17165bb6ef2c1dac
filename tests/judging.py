"""A small corpus, a search endpoint over it, and a way to move a judging on by a worker's hand."""

from collections.abc import Sequence
from typing import Any

import httpx

from examples.judge.oracle import FAULTLESS, Matrix, Oracle
from service.queue import INTERACTIVE, RUNS
from service.settings import Settings
from tests.endpoint import Answer
from tests.unit.service.api.conftest import ENVIRONMENT
from worker.jobs.execution import execute_next

WORDS = ("password", "refund", "invoice", "holiday", "shipping", "warranty")
QUERIES = {f"q{at}": f"how does the {word} work" for at, word in enumerate(WORDS)}
TEXTS = {
    f"d{at}{part}": f"Document {at}{part} says about the {word}: this is its part number {part}."
    for at, word in enumerate(WORDS)
    for part in range(4)
}
GRADES = {
    (QUERIES[f"q{at}"], TEXTS[f"d{at}{part}"]): 3 - part
    for at in range(len(WORDS))
    for part in range(4)
}


def oracle(matrix: Matrix = FAULTLESS, **more: Any) -> Oracle:
    """Return a judge's knowledge of the corpus: part 0 of a subject is worth 3, part 3 nothing."""
    return Oracle(GRADES, documents=TEXTS.values(), matrix=matrix, **more)


def search(parts: Sequence[int] = (0, 1, 2), *, texts: bool = True) -> Answer:
    """Answer each query with parts of its document, and one of the next subject."""

    def answer(text: str) -> tuple[int, Any]:
        at = int(next(name for name, query in QUERIES.items() if query == text)[1:])
        ids = [f"d{at}{part}" for part in parts] + [f"d{(at + 1) % len(WORDS)}3"]
        hits = [{"id": doc, "text": TEXTS[doc]} if texts else {"id": doc} for doc in ids]
        return 200, {"results": hits}

    return answer


def upload(**changes: Any) -> dict[str, Any]:
    """Return a set of queries; the first knows that one document is right, one is not."""
    queries: list[dict[str, Any]] = [{"id": name, "query": text} for name, text in QUERIES.items()]
    queries[0]["relevant"] = [{"id": "d00", "grade": 3}, {"id": "d53", "grade": 0}]
    return {"name": "help", "allow_unscorable": True, "queries": queries} | changes


def model(base_url: str, scenario: str = "ok", **changes: Any) -> dict[str, Any]:
    """Return a judge that is behind a fake one's address."""
    limits = {"concurrency": 4, "timeout_s": 5, "retries": 2}
    return {"base_url": base_url, "name": f"fake-{scenario}", "limits": limits} | changes


async def make(client: httpx.AsyncClient, *urls: str, **changes: Any) -> str:
    """Upload the set, make a judging over some endpoints, and return its path."""
    await client.post("/v1/test-sets", json=upload())
    endpoints = [{"url": url} for url in urls]
    body = {"test_set": "help", "endpoints": endpoints, "depth": 4} | changes
    answer = await client.post("/v1/judgings", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.headers["Location"])


async def work(redis_url: str, **environ: str) -> None:
    """Let a worker do what waits, long jobs and short ones."""
    named = {**ENVIRONMENT, "RETEVAL_REDIS_URL": redis_url, "RETEVAL_LEASE_S": "2", **environ}
    for queue in (RUNS, INTERACTIVE):
        await execute_next(Settings.from_env(named), queue)


async def pool(client: httpx.AsyncClient, path: str, redis_url: str) -> dict[str, Any]:
    """Pool, and return the judging after that."""
    begun = await client.post(f"{path}/pool")
    assert begun.status_code == 202, begun.text
    await work(redis_url)
    found: dict[str, Any] = (await client.get(path)).json()
    return found


async def judge(
    client: httpx.AsyncClient, path: str, redis_url: str, **body: Any
) -> dict[str, Any]:
    """Judge, and return the judging after that."""
    begun = await client.post(f"{path}/judge", json=body)
    assert begun.status_code == 202, begun.text
    await work(redis_url)
    found: dict[str, Any] = (await client.get(path)).json()
    return found


async def list_pairs(client: httpx.AsyncClient, path: str, **params: Any) -> list[dict[str, Any]]:
    """Return all pairs of a judging."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = (await client.get(f"{path}/pairs", params={**params, "cursor": cursor})).json()
        rows += page["items"]
        cursor = page["next_cursor"]
        if not cursor:
            return rows
