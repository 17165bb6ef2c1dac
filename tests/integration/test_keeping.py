"""What a real service keeps: estimates that hold, and a backup that gives everything back."""

import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import redis
import zstandard

from reteval import Client
from reteval.contract.backups import FrameReader
from reteval.contract.rankings import Ranking
from reteval.contract.runs import Run
from tests.endpoint import serve_answers
from tests.service_process import run_service

FACTOR = 5.0
"""How far the estimate may lie above the truth."""
SHORTFALL = 1.1
CANARY = "c4n4ry-s3cret"


@pytest.fixture
def service(redis_url: str, tmp_path: Path) -> Iterator[str]:
    """Run a service on the session's store, which is empty."""
    with run_service(tmp_path / "data", RETEVAL_REDIS_URL=redis_url) as running:
        yield running.url


def documents(count: int, depth: int, make: Callable[[int], str], *, scored: bool) -> Any:
    """Return an endpoint over so many documents that answers each text in its own way."""

    def answer(text: str) -> tuple[int, Any]:
        draw = random.Random(text)  # noqa: S311 - documents, not keys
        hits = [{"id": make(draw.randrange(count))} for _ in range(depth)]
        if scored:
            hits = [{**hit, "score": draw.random()} for hit in hits]
        return 200, {"results": hits}

    return answer


def as_uuid(number: int) -> str:
    """Return a document's UUID."""
    return str(uuid.UUID(int=random.Random(number).getrandbits(128)))  # noqa: S311


def as_number(number: int) -> str:
    """Return a document's number."""
    return str(number)


def a_test_set(count: int, make: Callable[[int], str], **fields: Any) -> dict[str, Any]:
    """Return a test set of words that no two queries share."""
    draw = random.Random(count)  # noqa: S311
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=6)) for _ in range(500)]
    return {
        "name": f"set-{count}",
        "queries": [
            {
                "id": f"q{number}",
                "query": " ".join(draw.choices(words, k=7)),
                "relevant_ids": [make(draw.randrange(1_000)) for _ in range(3)],
                **fields,
            }
            for number in range(count)
        ],
    }


@pytest.mark.parametrize(
    ("queries", "depth", "make", "scored", "request_fields"),
    [
        (300, 10, as_number, False, {}),
        (60, 100, as_uuid, True, {"metrics": ["ndcg@10"]}),
        (40, 10, as_uuid, True, {"adversarial": {"preset": "quick", "seed": 3}}),
    ],
    ids=["short ids", "deep and scored", "attacked"],
)
def test_estimates_hold(
    service: str,
    queries: int,
    depth: int,
    make: Callable[[int], str],
    scored: bool,  # noqa: FBT001 - a case of the table
    request_fields: dict[str, Any],
) -> None:
    """A run takes what was planned at most, and not less than a fifth of it."""
    answer = documents(100_000, depth, make, scored=scored)
    with serve_answers(answer) as endpoint, Client(service) as client:
        made = client.upload(a_test_set(queries, make, tags=["a", "b"]))
        request = {"test_set": made.id, "endpoint": {"url": endpoint.url}, "depth": depth}
        run = client.wait(client.run(request | request_fields).id, timeout_s=60)
    assert run.bytes is not None
    assert run.bytes <= run.planned.bytes * SHORTFALL
    assert run.planned.bytes <= run.bytes * FACTOR


def seen(client: Client, url: str, runs: list[Run]) -> dict[str, Any]:
    """Return everything that can be read of some runs and of their test sets."""
    found: dict[str, Any] = {}
    for run in runs:
        found[run.id] = {
            "report": client.results_document(run.id),
            "rows": [msgspec.json.encode(row) for row in client.query_rows(run.id)],
            "outcomes": [msgspec.json.encode(row) for row in client.outcomes(run.id)],
            "variants": [msgspec.json.encode(row) for row in client.variants(run.id)],
            "exports": [client.export(run.id, form) for form in ("trec", "csv", "jsonl")],
            "state": msgspec.json.encode(client.get(run.id)),
        }
        name = run.test_set.id
        found[name] = {
            "head": msgspec.json.encode(client.test_set(name)),
            "queries": [msgspec.json.encode(query) for query in client.queries(name)],
            "export": httpx.get(f"{url}/v1/test-sets/{name}/export").content,
            "unjudged": client.export_unjudged(name),
            "history": client.history(name),
        }
    found["order"] = [run.id for run in client.runs()], [one.id for one in client.test_sets()]
    usage = client.usage()
    found["usage"] = usage.runs, usage.test_sets, usage.oldest_run
    return found


def make_runs(client: Client, url: str) -> list[Run]:
    """Make a run of each sort: searched and attacked, uploaded, rescored, cancelled."""
    first = client.upload(a_test_set(25, as_uuid, tags=["a"]))
    second = client.upload(a_test_set(7, as_number))
    endpoint = {"url": url, "headers": {"X-Token": CANARY}}
    searched = client.run(
        {"test_set": first.id, "endpoint": endpoint, "adversarial": {"preset": "quick"}}
    )
    client.wait(searched.id, timeout_s=60)
    lists = [Ranking(query_id=f"q{n}", ids=[as_number(n)], scores=[0.5]) for n in range(7)]
    uploaded = client.score_rankings({"test_set": second.id}, lists)
    rescored = client.rescore(searched.id, {"metrics": ["ndcg@5"], "label": "again"})
    window = {"opens": "00:00", "closes": "00:01", "zone": "Etc/GMT+12"}
    waiting = client.run(
        {"test_set": second.id, "endpoint": endpoint, "limits": {"window": window}}
    )
    client.cancel(waiting.id)
    client.pin(searched.id)
    return [client.wait(run.id, timeout_s=60) for run in (searched, uploaded, rescored, waiting)]


def test_backup_gives_everything_back(service: str, redis_url: str, tmp_path: Path) -> None:
    """After the store was lost, every report, page and export is what it was, byte for byte."""
    path = tmp_path / "all.backup"
    answer = documents(100_000, 10, as_uuid, scored=True)
    with serve_answers(answer) as endpoint, Client(service) as client:
        runs = make_runs(client, endpoint.url)
        before = seen(client, service, runs)
        client.backup(path, everything=True)
        with redis.Redis.from_url(redis_url) as connection:
            connection.flushall()
        made = client.restore(path)
        assert seen(client, service, runs) == before
        again = client.restore(path)
    assert (made.skipped, again.restored) == ((), ())
    assert sorted(made.restored) == sorted(again.skipped)
    assert {run.id for run in runs} < set(made.restored)
    assert_no_secret(path)


def assert_no_secret(path: Path) -> None:
    """Look for the header's value in the file and in all that is packed in it."""
    payloads = [zstandard.decompress(p) for p in FrameReader().feed(path.read_bytes())]
    assert len(payloads) > 10
    for content in (path.read_bytes(), *payloads):
        assert CANARY.encode() not in content
