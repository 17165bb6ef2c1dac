import csv
import io
import json
import zipfile

import httpx
import pytest
import pytrec_eval

from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, end_run, run_body


async def test_results_are_kept_and_conditional(client: httpx.AsyncClient, ended_run: str) -> None:
    """The report has a strong tag; whoever has it gets 304 with no body."""
    path = f"/v1/runs/{ended_run}/results"
    answer = await client.get(path)
    etag = answer.headers["ETag"]
    assert answer.json()["metrics"]["mrr"]["mean"] == 0.25
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Vary"] == "Authorization"
    for sent in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = await client.get(path, headers={"If-None-Match": sent})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    other = await client.get(path, headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize(
    "part",
    [
        *("results", "queries", "outcomes", "variants", "export"),
        *(f"export?format={name}" for name in ("trec", "markdown", "html")),
    ],
)
async def test_reading_before_the_end_is_a_conflict(client: httpx.AsyncClient, part: str) -> None:
    """Each reading route answers 409 not_terminal, worth repeating, until the run has ended."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run_id = (await client.post("/v1/runs", json=run_body())).json()["id"]
    answer = await client.get(f"/v1/runs/{run_id}/{part}")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_terminal")
    assert (answer.json()["retryable"], answer.headers["Retry-After"]) == (True, "1")
    missing = await client.get(f"/v1/runs/run_none/{part}")
    assert missing.status_code == 404


async def test_query_rows_say_why_a_value_is_missing(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """Rows come in upload order; each null metric has a reason beside it."""
    rows = (await client.get(f"/v1/runs/{ended_run}/queries")).json()["items"]
    assert [(row["query_id"], row["status"], row["reason"]) for row in rows] == [
        ("q1", "ok", None),
        ("q 2", "ok_empty", "empty_answer"),
        ("q3", "failed", "timeout"),
        ("q4", "ok", "expect_nothing"),
    ]
    assert rows[0]["metrics"] == {"mrr": 0.5, "judged@10": 1.0}
    assert rows[2]["metrics"] == {"mrr": None, "judged@10": None}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("sort=mrr", ["q 2", "q1", "q3", "q4"]),
        ("sort=-mrr", ["q1", "q 2", "q3", "q4"]),
        ("sort=-RR", ["q1", "q 2", "q3", "q4"]),
        ("status=ok", ["q1", "q4"]),
        ("slice=tag:faq&sort=mrr", ["q 2", "q1"]),
        ("slice=tag:none", []),
    ],
)
async def test_query_rows_sort_and_filter(
    client: httpx.AsyncClient, ended_run: str, query: str, ids: list[str]
) -> None:
    """Ascending shows the worst first; undefined values come last either way."""
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        path = f"/v1/runs/{ended_run}/queries?{query}&limit=1&cursor={cursor}"
        page = (await client.get(path)).json()
        found += [row["query_id"] for row in page["items"]]
        cursor = page["next_cursor"]
    assert found == ids


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("sort=ndcg@10", "?sort"),
        ("sort=foo", "?sort"),
        ("slice=faq", "?slice"),
        ("limit=0", "?limit"),
        ("limit=201", "?limit"),
        ("limit=1&limit=2", "?limit"),
        ("sorted=mrr", "?sorted"),
    ],
)
async def test_query_rows_refuse_what_they_cannot_do(
    client: httpx.AsyncClient, ended_run: str, query: str, pointer: str
) -> None:
    """A parameter that is unknown, repeated, out of range or not of this run is named."""
    answer = await client.get(f"/v1/runs/{ended_run}/queries?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)


async def test_cursor_is_bound_to_its_sort(client: httpx.AsyncClient, ended_run: str) -> None:
    """A cursor of one order is refused in another."""
    path = f"/v1/runs/{ended_run}/queries?limit=1"
    cursor = (await client.get(f"{path}&sort=mrr")).json()["next_cursor"]
    answer = await client.get(f"{path}&sort=-mrr&cursor={cursor}")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


async def test_outcomes_page_over_the_whole_plan(client: httpx.AsyncClient, ended_run: str) -> None:
    """Clean requests come first, then variants, each once, rankings as delivered."""
    first = (await client.get(f"/v1/runs/{ended_run}/outcomes?limit=5")).json()
    second = (
        await client.get(f"/v1/runs/{ended_run}/outcomes?limit=5&cursor={first['next_cursor']}")
    ).json()
    assert [len(first["items"]), len(second["items"]), second["next_cursor"]] == [5, 3, None]
    assert first["items"][0]["outcome"]["ids"] == ["d1", "d 2", "d1"]
    assert first["items"][4]["kind"] == "typo.mixed"


async def test_variants_filter_by_kind(client: httpx.AsyncClient, ended_run: str) -> None:
    """Values stand beside those of the clean query; a filter pages over its kind alone."""
    rows = (await client.get(f"/v1/runs/{ended_run}/variants")).json()["items"]
    assert [(row.get("value"), row.get("clean")) for row in rows] == [
        (0.25, 0.5),
        (0.0, 0.5),
        (None, 0.5),
        (1.0, None),
    ]
    path = f"/v1/runs/{ended_run}/variants?kind=typo.mixed&limit=1"
    first = (await client.get(path)).json()
    second = (await client.get(f"{path}&cursor={first['next_cursor']}")).json()
    texts = [row["text"] for page in (first, second) for row in page["items"]]
    assert texts == ["variant 1", "variant 3"]


async def test_csv_export_runs_no_formula(client: httpx.AsyncClient, ended_run: str) -> None:
    """A header and a line a query; text that a spreadsheet would execute is disarmed."""
    answer = await client.get(f"/v1/runs/{ended_run}/export?format=csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["query_id"] for row in rows] == ["q1", "q 2", "q3", "q4"]
    assert (rows[0]["mrr"], rows[2]["mrr"], rows[2]["reason"]) == ("0.5", "", "timeout")
    assert rows[1]["tags"] == "faq;=x"


async def test_markdown_export_is_a_summary(client: httpx.AsyncClient, ended_run: str) -> None:
    """The table has the run's means, under its label."""
    answer = await client.get(f"/v1/runs/{ended_run}/export?format=markdown")
    assert answer.headers["Content-Type"].startswith("text/markdown")
    assert answer.text.startswith("### first: completed\n")
    assert "| mrr | 0.250 |" in answer.text


async def test_jsonl_export_has_a_row_a_query(client: httpx.AsyncClient, ended_run: str) -> None:
    """The lines are the rows of the list."""
    lines = (await client.get(f"/v1/runs/{ended_run}/export")).text.splitlines()
    rows = (await client.get(f"/v1/runs/{ended_run}/queries")).json()["items"]
    assert [json.loads(line) for line in lines] == rows


async def test_trec_export_recomputes_the_means(client: httpx.AsyncClient, ended_run: str) -> None:
    """trec_eval over the zip sees repeats once, an empty answer as 0, failed queries never."""
    answer = await client.get(f"/v1/runs/{ended_run}/export?format=trec")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert parts["run.trec"].splitlines() == [
        f"q1 Q0 d1 1 10 {ended_run}",
        f"q1 Q0 d%202 2 9 {ended_run}",
        f"q1 Q0 d1~dup3 3 8 {ended_run}",
    ]
    assert parts["qrels.trec"].splitlines() == ["q1 0 d1 1", "q1 0 d%202 1", "q%202 0 d3 1"]
    assert "trec_eval -c -l 1 " in parts["README.txt"]
    run = pytrec_eval.parse_run(io.StringIO(parts["run.trec"]))
    qrels = pytrec_eval.parse_qrel(io.StringIO(parts["qrels.trec"]))
    scores = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank", "map"}).evaluate(run)
    assert scores["q1"] == {"recip_rank": 1.0, "map": 1.0}


async def test_history_has_a_flat_line_a_run(
    client: httpx.AsyncClient, ended_run: str, store: Store
) -> None:
    """Oldest first, the same keys in the same order; a failed run has no metrics but a line."""
    failed = (await client.post("/v1/runs", json=run_body(label="second"))).json()["id"]
    await end_run(store, failed, metrics=False)
    await client.post("/v1/runs", json=run_body(label="queued"))
    answer = await client.get("/v1/history.jsonl?test_set=ended")
    lines = [list(json.loads(line).items()) for line in answer.text.splitlines()]
    assert lines[0] == [
        ("run", ended_run),
        ("label", "first"),
        ("timestamp", "2026-11-30T00:00:00.000Z"),
        ("num_queries", 4),
        ("status", "completed"),
        ("mrr", 0.25),
    ]
    assert [dict(line)["label"] for line in lines] == ["first", "second"]
    assert "mrr" not in dict(lines[1])
    assert (await client.get("/v1/history.jsonl?test_set=none")).status_code == 404
    assert (await client.get("/v1/history.jsonl")).status_code == 422
