import gzip
import json
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.query_samples import MAX_LOG_BYTES

LINES = (
    "\n".join(["reset password"] * 6 + ["Refund?", "refund", "refund"] + ["who is a@b.example"] * 2)
    + "\nkeys\n"
)
TABLE = "query,count,user\nreset password,6,1\nrefund,3,1\nrefund,1,1\nkeys,1,2\n"
UBI = "".join(
    json.dumps({"user_query": text, "client_id": user, "query_id": "x"}) + "\n"
    for text, user in (("reset password", "1"), ("reset password", "1"), ("refund", "2"))
)


async def draw(
    client: httpx.AsyncClient, log: str, media: str = "text/plain", **wanted: Any
) -> httpx.Response:
    """Send a log."""
    headers = {"Content-Type": media}
    return await client.post("/v1/query-samples", params=wanted, content=log, headers=headers)


async def test_log_becomes_counted_queries(client: httpx.AsyncClient) -> None:
    """Spellings are one query, secrets are named, thirds are counted, shares add up to one."""
    sample = (await draw(client, LINES)).json()
    assert {one["query"]: one["fields"]["frequency"] for one in sample["queries"]} == {
        "reset password": 6,
        "refund": 3,
        "who is [email]": 2,
        "keys": 1,
    }
    assert (sample["lines"], sample["searches"], sample["distinct"]) == (12, 12, 4)
    assert (sample["dropped"], sample["redacted"]) == ({}, {"email": 2})
    assert sample["queries"][0]["tags"] == ["head"]
    assert sample["strata"]["head"] == {"queries": 1, "searches": 6, "sampled": 1}
    assert {one["source"] for one in sample["queries"]} == {"log"}
    assert sum(one["fields"]["share"] for one in sample["queries"]) == pytest.approx(1, abs=1e-6)


async def test_table_and_ubi_records_are_read(client: httpx.AsyncClient) -> None:
    """A column of counts is added up; a user who repeats counts once where that is asked for."""
    table = (await draw(client, TABLE, "text/csv", min_count=2)).json()
    assert [one["fields"]["frequency"] for one in table["queries"]] == [6, 4]
    assert table["dropped"] == {"rare": 1}
    ubi = (await draw(client, UBI, "application/x-ndjson", once_per_user="true")).json()
    assert (ubi["searches"], ubi["dropped"]) == (2, {"repeated_by_user": 1})


async def test_sample_uploads_as_drafts(client: httpx.AsyncClient) -> None:
    """The JSON lines are the same queries; they are a test set whose queries wait for judges."""
    lines = await draw(client, LINES, size=3, seed=7, format="jsonl")
    again = (await draw(client, LINES, size=3, seed=7)).json()
    assert [json.loads(line) for line in lines.text.splitlines()] == again["queries"]
    assert lines.headers["Content-Disposition"] == 'attachment; filename="queries.jsonl"'
    made = await client.post(
        "/v1/test-sets?name=drafts&allow_unscorable=true",
        content=lines.content,
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert (made.status_code, made.json()["stats"]["unscorable"]) == (201, 3)


async def test_nothing_of_a_log_is_kept(client: httpx.AsyncClient, redis_url: str) -> None:
    """The store has no key more than before."""
    await draw(client, "first")
    with redis.Redis.from_url(redis_url) as server:
        before = set(server.keys("t:default:*"))
        await draw(client, LINES)
        assert set(server.keys("t:default:*")) == before


async def test_packed_log_over_many_chunks_is_read(client: httpx.AsyncClient) -> None:
    """A log larger than what is held in memory is the same log, packed or not."""
    log = "".join(f"query number {number % 50_000}\n" for number in range(400_000))
    sample = await client.post(
        "/v1/query-samples?method=proportional&size=10",
        content=gzip.compress(log.encode()),
        headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"},
    )
    counted = sample.json()
    assert (counted["searches"], counted["distinct"], len(counted["queries"])) == (
        400_000,
        50_000,
        10,
    )


@pytest.mark.parametrize(
    ("log", "media", "wanted", "status", "code"),
    [
        ("", "text/plain", {}, 422, "invalid"),
        ("a@b.example\n\n", "text/plain", {}, 422, "invalid"),
        ("text\na\n", "text/csv", {}, 422, "invalid"),
        ('query\n"a\n', "text/csv", {}, 400, "malformed_text"),
        ("a", "application/json", {}, 415, "unsupported_media_type"),
        ("a", "text/plain", {"size": 0}, 422, "invalid"),
        ("a", "text/plain", {"method": "best"}, 422, "invalid"),
        ("x" * (MAX_LOG_BYTES + 1), "text/plain", {}, 413, "too_large"),
    ],
)
async def test_log_that_gives_no_sample_is_refused(
    client: httpx.AsyncClient, log: str, media: str, wanted: Any, status: int, code: str
) -> None:
    """Nothing left, no column, an open quote, another type, wrong wishes, too much."""
    answer = await draw(client, log, media, **wanted)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_refusal_says_why_nothing_is_left(client: httpx.AsyncClient) -> None:
    """The reasons are counted."""
    answer = await draw(client, "a@b.example\n\n")
    assert "2 lines" in answer.json()["detail"]
    assert "1 empty, 1 only_secrets" in answer.json()["detail"]
