import gzip
from typing import Any

import httpx
import pytest
import redis

from tests.unit.service.core.ingest.bodies import zipped
from tests.unit.service.core.ingest.corruptions import corrupt
from tests.unit.service.core.ingest.samples import ASKED, BOTH, JUDGMENTS, SAMPLES, lines

TABLE, TSV = "text/csv", "text/tab-separated-values"
BLOB = "application/octet-stream"
RAW = {
    "csv": TABLE,
    "quepid_raters": TABLE,
    "ranklib": "text/plain",
    "umbrela": "application/x-ndjson",
    "ragas": "application/jsonl",
    "rank_eval": "application/json",
    "quepid_book": BLOB,
}
FOLDER = zipped(
    **{"queries.jsonl": ASKED["beir_queries"], "qrels/test.tsv": JUDGMENTS["beir_qrels"][0]}
)
TREC = {
    "topics": ("topics.tsv", ASKED["topics_tsv"]),
    "qrels": ("qrels.txt", JUDGMENTS["trec_qrels"][0]),
}


async def send(client: httpx.AsyncClient, body: bytes, media: str, **query: Any) -> httpx.Response:
    """Upload a body under a media type."""
    return await client.post(
        "/v1/test-sets", params=query, content=body, headers={"Content-Type": media}
    )


@pytest.mark.parametrize("name", sorted(RAW))
async def test_body_is_read_by_what_it_is(client: httpx.AsyncClient, name: str) -> None:
    """Whatever is declared, a file of another tool is told by content; its preview is the set."""
    body, expected = BOTH[name]
    seen = await send(client, body, RAW[name], dry_run="true")
    assert (seen.status_code, seen.json()["storable"]) == (200, True)
    assert [one["format"] for one in seen.json()["files"]] == [name]
    made = await send(client, body, RAW[name])
    assert (made.status_code, made.json()["stats"]["judgments"]) == (201, len(expected))
    assert (made.json()["hash"], made.json()["stats"]) == (
        seen.json()["hash"],
        seen.json()["stats"],
    )
    assert made.json()["warnings"] == seen.json()["warnings"]


@pytest.mark.parametrize(
    ("body", "media"),
    [(FOLDER, "application/zip"), (gzip.compress(BOTH["csv"][0]), "application/gzip")],
    ids=["zip", "gzip"],
)
async def test_packed_files_are_unpacked(
    client: httpx.AsyncClient, body: bytes, media: str
) -> None:
    """BEIR's files come as one archive, a table as gzip."""
    made = await send(client, body, media, name="beir")
    assert (made.status_code, made.json()["stats"]["judgments"]) == (201, 3)


async def test_files_are_sent_as_parts_of_any_name(client: httpx.AsyncClient) -> None:
    """Two files under names of their own, told by content."""
    files = {"one": ("a", JUDGMENTS["ranx"][0]), "two": ("b", ASKED["topics_tsv"])}
    made = await client.post("/v1/test-sets", files=files)
    assert (made.status_code, made.json()["stats"]["judgments"]) == (201, 3)


async def test_preview_stores_nothing(client: httpx.AsyncClient, redis_url: str) -> None:
    """A dry run of a good file and of a bad one leaves no key behind, nor a line in the log."""
    with redis.Redis.from_url(redis_url) as server:
        before = set(server.keys("t:default:*"))
        good = await client.post("/v1/test-sets?dry_run=true", files=TREC)
        bad = await send(client, b"query,docid,rating\nq,d,x\nq,e,1\n", TABLE, dry_run="true")
        own = await client.post("/v1/test-sets?dry_run=true", json={"queries": [{"query": "a"}]})
        assert set(server.keys("t:default:*")) == before
    assert (good.json()["storable"], good.json()["rows"]["accepted"]) == (True, 5)
    assert (bad.status_code, bad.json()["storable"]) == (200, False)
    assert bad.json()["refused"][0]["row"] == 2
    assert bad.json()["stats"]["judgments"] == 1
    assert own.json()["problems"][0]["pointer"] == "/queries/0"


async def test_preview_of_our_own_forms_is_the_set(client: httpx.AsyncClient) -> None:
    """JSON and lines of our own are previewed with the hash they get."""
    for name, media in (
        ("reteval_json", "application/json"),
        ("reteval_jsonl", "application/x-ndjson"),
    ):
        seen = (await send(client, SAMPLES[name], media, dry_run="true")).json()
        made = (await send(client, SAMPLES[name], media)).json()
        assert (seen["hash"], seen["rows"]["read"]) == (made["hash"], 2)
        assert [one["query"] for one in seen["queries"]] == ["red shoes for walking", "blue hats"]


async def test_skipped_rows_stay_with_the_set(client: httpx.AsyncClient) -> None:
    """What on_error=skip left out is a warning on the set for ever."""
    body = b"query,docid,rating\nq,d,x\nq,e,1\n"
    assert (await send(client, body, TABLE)).status_code == 422
    made = await send(client, body, TABLE, on_error="skip")
    read = (await client.get(made.headers["Location"])).json()
    assert "rows_skipped" in [one["code"] for one in read["warnings"]]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"grades": "E"}, "?grades"),
        ({"columns": "x:y"}, "?columns"),
        ({"format": "excel"}, "?format"),
        ({"reverse": "best"}, "?reverse"),
        ({"negatives": "maybe"}, "?negatives"),
        ({"dry_run": "perhaps"}, "?dry_run"),
    ],
)
async def test_option_that_cannot_be_used_is_named(
    client: httpx.AsyncClient, query: dict[str, str], pointer: str
) -> None:
    """A mistake in an option is 422 at the parameter."""
    answer = await send(client, BOTH["csv"][0], TABLE, **query)
    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_json_of_our_own_has_its_head_inside(client: httpx.AsyncClient) -> None:
    """Parameters that a JSON object holds as fields are refused beside it, preview or not."""
    for query in ({"name": "x"}, {"name": "x", "dry_run": "true"}):
        answer = await client.post(
            "/v1/test-sets",
            params=query,
            json={"queries": [{"query": "a", "relevant_ids": ["1"]}]},
        )
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "?name")


async def test_lines_of_another_tool_are_not_taken_for_ours(client: httpx.AsyncClient) -> None:
    """Lines that have no query of ours are read as what they are, or refused by name."""
    body = lines({"user_input": "q", "reference_context_ids": ["d"]})
    assert (await send(client, body, "application/x-ndjson")).status_code == 201
    answer = await send(client, lines({"question": "q"}), "application/x-ndjson")
    assert answer.status_code == 422


@pytest.mark.parametrize("name", sorted(SAMPLES))
async def test_damaged_file_is_never_half_stored(
    client: httpx.AsyncClient, redis_url: str, name: str
) -> None:
    """A refused file leaves no key; an accepted one holds all that its head counts."""
    with redis.Redis.from_url(redis_url) as server:
        for seed in range(1_000, 1_006):
            before = set(server.keys("t:default:*"))
            body = corrupt(SAMPLES[name], seed)
            answer = await send(client, body, BLOB, texts="ids", allow_unscorable="true")
            if answer.status_code in (200, 201):
                queries = await client.get(f"{answer.headers['Location']}/queries")
                found = sum(len(one.get("relevant", ())) for one in queries.json()["items"])
                assert found == answer.json()["stats"]["judgments"]
            else:
                assert answer.status_code in (400, 413, 422), answer.text
                assert set(server.keys("t:default:*")) == before
