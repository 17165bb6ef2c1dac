import io
import zipfile
from typing import Any

import httpx
import pytest
import redis

from reteval.contract.exports import ExportFormat, Loss
from service.core.exports.registry import LAYOUTS

UPLOAD: dict[str, Any] = {
    "name": "jwt-docs",
    "queries": [
        {"id": "q1", "query": "How do I set JWT expiration?", "relevant_ids": [42, 87]},
        {"id": "q2", "query": "refresh tokens", "relevant": [{"id": "15", "grade": 3}]},
        {"id": "q3", "query": "weather in Lisbon", "expect": "nothing"},
    ],
}
NDJSON = (
    b'{"id":"q1","query":"How do I set JWT expiration?","relevant_ids":[42,87]}\n'
    b'{"id":"q2","query":"refresh tokens","relevant":[{"id":"15","grade":3}]}\n'
    b'{"id":"q3","query":"weather in Lisbon","expect":"nothing"}\n'
)
CSV = b"query,docid,rating\nreset password,d1,3\nreset password,d2,1\nrefund,d9,2\n"
TOPICS = b"1\treset password\n2\trefund\n"
QRELS = b"1 0 d1 3\n1 0 d2 1\n2 0 d9 2\n"


async def test_upload_answers_where_the_set_is(client: httpx.AsyncClient) -> None:
    """A new set is 201 with stats, warnings and its address; reading it there gives the same."""
    made = await client.post("/v1/test-sets", json=UPLOAD)
    assert made.status_code == 201
    assert made.json()["stats"]["scorable"] == 2
    assert [warning["code"] for warning in made.json()["warnings"]] == ["few_queries"]
    read = await client.get(made.headers["Location"])
    assert read.json() == made.json()
    by_name = await client.get("/v1/test-sets/jwt-docs")
    assert by_name.json() == made.json()


@pytest.mark.parametrize("media", ["application/x-ndjson", "application/jsonl"])
async def test_upload_finds_the_same_set_in_another_form(
    client: httpx.AsyncClient, media: str
) -> None:
    """The same content as JSON lines under the same name is the set that exists: 200."""
    first = await client.post("/v1/test-sets", json=UPLOAD)
    again = await client.post(
        "/v1/test-sets?name=jwt-docs", content=NDJSON, headers={"Content-Type": media}
    )
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


async def test_upload_makes_the_next_version_when_content_differs(
    client: httpx.AsyncClient,
) -> None:
    """Other content under a used name is version 2, and the name means it."""
    await client.post("/v1/test-sets", json=UPLOAD)
    other = {**UPLOAD, "queries": UPLOAD["queries"][:2]}
    second = await client.post("/v1/test-sets", json=other)
    assert (second.status_code, second.json()["version"]) == (201, 2)
    assert (await client.get("/v1/test-sets/jwt-docs")).json()["id"] == second.json()["id"]


async def test_upload_reads_csv_trec_and_files(client: httpx.AsyncClient) -> None:
    """CSV, TREC parts and a CSV file of the same judgments are read with the same counts."""
    answers = [
        await client.post(
            "/v1/test-sets?name=csv&scale_max=4", content=CSV, headers={"Content-Type": "text/csv"}
        ),
        await client.post(
            "/v1/test-sets?name=trec", files={"topics": ("t.tsv", TOPICS), "qrels": ("q", QRELS)}
        ),
        await client.post("/v1/test-sets?name=file", files={"file": ("set.CSV", CSV)}),
        await client.post("/v1/test-sets?name=lines", files={"file": ("set.jsonl", NDJSON)}),
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 201]
    assert [answer.json()["stats"]["judgments"] for answer in answers] == [3, 3, 3, 3]
    assert answers[0].json()["scale"] == {"max": 4}


async def test_upload_reads_a_json_file_with_its_own_head(client: httpx.AsyncClient) -> None:
    """A JSON file names its set itself."""
    body = b'{"name":"own","queries":[{"query":"a","relevant_ids":["1"]}]}'
    answer = await client.post("/v1/test-sets", files={"file": ("a.json", body)})
    assert (answer.status_code, answer.json()["name"]) == (201, "own")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"topics": ("t", TOPICS)}, "invalid"),
        ({"file": ("set.csv", b"x")}, "invalid"),
        ({"file": (None, b"x")}, "bad_request"),
        ({"file": ("set.zip", b"PK\x03\x04")}, "malformed_text"),
    ],
)
async def test_multipart_upload_refuses_what_it_cannot_name(
    client: httpx.AsyncClient, files: dict[str, Any], code: str
) -> None:
    """No judgments, an unknown format, a part without a file name, a damaged archive."""
    answer = await client.post("/v1/test-sets", files=files)
    assert answer.json()["code"] == code


async def test_multipart_upload_refuses_a_part_sent_twice(client: httpx.AsyncClient) -> None:
    """Two files under one name are refused, not chosen from."""
    files = [("file", ("a.csv", CSV)), ("file", ("b.csv", CSV))]
    answer = await client.post("/v1/test-sets", files=files)
    assert (answer.status_code, "sent twice" in answer.json()["detail"]) == (400, True)


async def test_multipart_upload_needs_its_boundary(client: httpx.AsyncClient) -> None:
    """A multipart body without boundary cannot be read: 400."""
    answer = await client.post(
        "/v1/test-sets", content=b"x", headers={"Content-Type": "multipart/form-data"}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b'{"queries": [', {}, 400, "malformed_json"),
        (b"\xff", {}, 400, "malformed_json"),
        (b'{"queries": []}', {}, 422, "invalid"),
        (b'{"queries": [{"query": "a", "relevant_ids": ["1"], "grade": 1}]}', {}, 422, "invalid"),
        (b"{}", {"Content-Type": "application/xml"}, 415, "unsupported_media_type"),
        (b"{}", {"Content-Encoding": "br"}, 415, "unsupported_media_type"),
        (b"{}", {"Content-Encoding": "gzip"}, 400, "malformed_text"),
        (b"{}", {"Content-Type": "application/json; charset=latin-1"}, 415, None),
        (b'query,docid,rating\n"a', {"Content-Type": "text/csv"}, 400, "malformed_text"),
        (b"3", {}, 422, "invalid"),
        (b'{"queries": [{"query": "a"}]' + b" " * 10_000_001 + b"}", {}, 413, "too_large"),
    ],
)
async def test_refused_upload_leaves_the_store_unchanged(
    client: httpx.AsyncClient,
    redis_url: str,
    body: bytes,
    headers: dict[str, str],
    status: int,
    code: str | None,
) -> None:
    """Each bad body has its status and code, and no key is left behind."""
    with redis.Redis.from_url(redis_url) as server:
        before = set(server.keys("t:default:*"))
        answer = await client.post(
            "/v1/test-sets", content=body, headers={"Content-Type": "application/json", **headers}
        )
        assert answer.status_code == status
        assert answer.json()["code"] == (code or "unsupported_media_type")
        assert set(server.keys("t:default:*")) == before


async def test_upload_names_each_wrong_place(client: httpx.AsyncClient) -> None:
    """A refused set says where each problem is and what to do."""
    queries = [{"id": "a", "query": "x", "relevant_ids": ["1"], "grades": [9]}]
    answer = await client.post("/v1/test-sets", json={"queries": queries})
    item = answer.json()["errors"][0]
    assert (item["pointer"], bool(item["fix"])) == ("/queries/0/grades/0", True)


async def test_json_upload_refuses_head_parameters(client: httpx.AsyncClient) -> None:
    """A JSON body has its own name; a parameter beside it would be ignored, so it is refused."""
    answer = await client.post("/v1/test-sets?name=other", json=UPLOAD)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "?name")


async def test_lists_page_to_the_end(client: httpx.AsyncClient) -> None:
    """Sets come newest first, queries in upload order, each once over the pages."""
    for number in range(3):
        body = {"name": f"s{number}", "queries": UPLOAD["queries"][: number + 1]}
        await client.post("/v1/test-sets", json=body)
    assert await walk(client, "/v1/test-sets", "name") == ["s2", "s1", "s0"]
    assert await walk(client, "/v1/test-sets/s2/queries", "id") == ["q1", "q2", "q3"]


async def walk(client: httpx.AsyncClient, path: str, field: str) -> list[str]:
    """Collect a field over pages of two."""
    found: list[str] = []
    cursor = ""
    while True:
        page = (await client.get(path, params={"limit": 2, "cursor": cursor})).json()
        found += [item[field] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


async def test_cursor_of_another_list_is_refused(client: httpx.AsyncClient) -> None:
    """A cursor works only where it was issued."""
    for number in range(3):
        body = {"name": f"s{number}", "queries": UPLOAD["queries"][: number + 1]}
        await client.post("/v1/test-sets", json=body)
    page = (await client.get("/v1/test-sets?limit=1")).json()
    for path in ("/v1/test-sets/s2/queries", "/v1/runs"):
        answer = await client.get(path, params={"cursor": page["next_cursor"]})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


async def test_export_uploads_to_the_same_set(client: httpx.AsyncClient) -> None:
    """The JSON lines of a set, sent back under its name, are the same set."""
    made = (await client.post("/v1/test-sets", json=UPLOAD)).json()
    lines = await client.get(f"/v1/test-sets/{made['id']}/export")
    assert made["id"] in lines.headers["Content-Disposition"]
    again = await client.post(
        "/v1/test-sets?name=jwt-docs",
        content=lines.content,
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert (again.status_code, again.json()["id"]) == (200, made["id"])


async def test_trec_export_uploads_again(client: httpx.AsyncClient) -> None:
    """Topics and qrels of the zip hold every query and judgment of the set."""
    await client.post("/v1/test-sets", json={**UPLOAD, "queries": UPLOAD["queries"][:2]})
    answer = await client.get("/v1/test-sets/jwt-docs/export?format=trec")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert parts["qrels.trec"] == b"q1 0 42 1\nq1 0 87 1\nq2 0 15 3\n"
    again = await client.post(
        "/v1/test-sets?name=again",
        files={"topics": ("t", parts["topics.tsv"]), "qrels": ("q", parts["qrels.trec"])},
    )
    assert again.json()["stats"]["judgments"] == 3


@pytest.mark.parametrize("form", ExportFormat)
async def test_every_format_can_be_downloaded(
    client: httpx.AsyncClient, form: ExportFormat
) -> None:
    """Each format comes with its type, a file name with its ending, and what is lost in it."""
    made = (await client.post("/v1/test-sets", json=UPLOAD)).json()
    answer = await client.get("/v1/test-sets/jwt-docs/export", params={"format": form})
    layout = LAYOUTS[form]
    assert answer.headers["Content-Type"].partition(";")[0] == layout.media
    name = f'attachment; filename="{made["id"]}.{layout.ending}"'
    assert answer.headers["Content-Disposition"] == name
    lost = answer.headers.get("Reteval-Lost", "").split(", ")
    assert ("expect" in lost) is (Loss.EXPECT in layout.losses)


async def test_export_without_loss_says_nothing(client: httpx.AsyncClient) -> None:
    """JSON lines of a set with the usual head carry no header of losses; index is told."""
    await client.post("/v1/test-sets", json=UPLOAD)
    lines = await client.get("/v1/test-sets/jwt-docs/export")
    assert "Reteval-Lost" not in lines.headers
    requests = await client.get("/v1/test-sets/jwt-docs/export?format=rank_eval&index=docs-v2")
    assert requests.json()["requests"][0]["ratings"][0]["_index"] == "docs-v2"
    refused = await client.get("/v1/test-sets/jwt-docs/export?format=xlsx")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "?format")


async def test_csv_export_uploads_again(client: httpx.AsyncClient) -> None:
    """Our table read back gives the texts and ids that were written, formulas too."""
    queries = [{"id": "=1", "query": "+49 =x", "relevant": [{"id": "-d", "grade": 2}]}]
    made = await client.post("/v1/test-sets", json={"name": "odd", "queries": queries})
    table = await client.get("/v1/test-sets/odd/export?format=csv")
    assert table.content.endswith(b"'=1,'+49 =x,'-d,2\r\n")
    again = await client.post(
        "/v1/test-sets?name=odd", content=table.content, headers={"Content-Type": "text/csv"}
    )
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])


async def test_delete_takes_an_id_only(client: httpx.AsyncClient) -> None:
    """A name may mean many versions, so deleting by name is refused with the id to use."""
    made = (await client.post("/v1/test-sets", json=UPLOAD)).json()
    refused = await client.delete("/v1/test-sets/jwt-docs")
    assert (refused.status_code, made["id"] in refused.json()["detail"]) == (404, True)
    gone = await client.delete(f"/v1/test-sets/{made['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await client.get(f"/v1/test-sets/{made['id']}")).status_code == 404
