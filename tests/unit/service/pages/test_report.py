"""The report of a run as a page and as a file."""

import base64
import hashlib
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import httpx
from msgspec.structs import replace

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.latency import Histogram, Spread
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.results import (
    Counts,
    JudgmentOrigins,
    Latency,
    LeakPart,
    Partial,
    RunLeakage,
    Slice,
)
from reteval.contract.runs import RunStatus
from reteval.contract.splits import HoldoutLooks, SplitShare
from reteval.contract.stability import Stability
from service.pages.formatting import UNDEFINED
from service.pages.report import arrange
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.documents import FEW, a_report, a_summary
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import SCOPES, bearer, own
from tests.unit.service.pages.markup import HOSTILE, read

BLOCK = Diagnostic(
    code=DiagnosticCode.ID_MISMATCH,
    severity=Severity.BLOCK,
    message="No id matches.",
    fix="Change the rule.",
)
UNDATED = JudgmentOrigins(
    count=9,
    sources={"unstated": 1.0},
    dated=0,
    oldest=None,
    median=None,
    newest=None,
    reason="no_dates",
)
WITHOUT = {"mrr": a_summary(0.125, ci=None)}
LEAKAGE = RunLeakage(
    queries=1,
    share=0.25,
    between_splits=LeakPart(queries=1),
    from_documents=LeakPart(queries=None, reason="no_texts"),
    compared=4,
    metrics_without=WITHOUT,
)
FULL: dict[str, Any] = {
    "metrics": {
        "mrr": a_summary(0.25, n=2, ci=(0.1, 0.4), clusters=2),
        "recall@1": a_summary(0.1),
        "recall@5": a_summary(0.5),
        "judged@10": a_summary(None, ci=None, reason="no_hits", judged_only=0.5),
    },
    "diagnostics": (FEW, BLOCK),
    "slices": {"tag:faq": Slice(n=2, metrics={"mrr": a_summary(0.75)})},
    "latency_ms": Latency(
        n=3,
        p50=5,
        p90=6,
        p95=6,
        p99=6,
        mean=5,
        max=6,
        histogram=Histogram(le_ms=(5, 7), counts=(2, 1, 0)),
        by_slice={"tag:faq": Spread(n=2, p50=5, p90=8, p95=9, p99=9)},
    ),
    "leakage": LEAKAGE,
    "stability": Stability(
        rounds=2, queries=3, left_out=0, mean_rbo=0.9, identical=0.5, top1_same=1, metrics={}
    ),
    "split": SplitShare(name="holdout", outside=7),
    "holdout_looks": HoldoutLooks(look=2, total=3),
    "definitions": {"gain": "linear", "metrics": {"mrr": "1 / rank"}},
}


async def started(client: httpx.AsyncClient, **changes: Any) -> str:
    """Ask for a run over the set `ended`."""
    await client.post("/v1/test-sets", json=TEST_SET)
    made = await client.post("/v1/runs", json=run_body(**changes))
    return str(made.json()["id"])


async def ended(client: httpx.AsyncClient, store: Store, **told: Any) -> str:
    """Return a run whose report is full, but for what is told."""
    run_id = await started(client, label="first")
    await end_run(store, run_id, told={**FULL, **told})
    return run_id


async def test_report_tells_what_was_found(client: httpx.AsyncClient, store: Store) -> None:
    """The strip, the cards, the slices, the worst queries and the facts are on one page."""
    run_id = await ended(client, store)
    answer = await client.get(f"/runs/{run_id}")
    page = read(answer.text)
    for said in (
        "mrr 0.250 [0.100, 0.400] n = 2 of 4 queries 95 % interval, t",
        f"judged@10 {UNDEFINED} (no hits)",
        "1 block, 1 warn",
        "recall@5 0.500",
        "relevant documents in the top k / all relevant documents",
        "[0.810, 0.810]",
        "tag:faq 2 0.750",
        "9.0 ms",
        "refund 0.000",
        "3 answers at the first attempt",
        "1 queries (25.0 %) were known before; mrr without them 0.125",
        "2 rounds: 50.0 % of rankings identical",
        "holdout; 7 queries are outside of it",
        "look 2 of 3",
        "1 / rank",
        "commit 4f2a",
    ):
        assert said in page.text, said
    assert page.text.index("No id matches.") < page.text.index("5 queries are too few")
    assert f"/runs/{run_id}/queries/q%202" in page.links
    assert answer.text.count("<svg") > answer.text.count('<svg class="whisker"')


async def test_metric_of_the_report_is_chosen(client: httpx.AsyncClient, store: Store) -> None:
    """Another metric takes the strip in any spelling; one that was not measured is refused."""
    run_id = await ended(client, store, metrics={"mrr": a_summary(0.25), "recall@5": a_summary()})
    page = read((await client.get(f"/runs/{run_id}?metric=RR")).text)
    assert "Worst queries by mrr" in page.text
    for wrong in ("ndcg@3", "nonsense"):
        refused = await client.get(f"/runs/{run_id}?metric={wrong}")
        assert refused.status_code == 422
        assert "Take one of mrr, recall@5" in read(refused.text).text


async def test_run_that_has_not_ended_shows_how_far_it_is(client: httpx.AsyncClient) -> None:
    """Progress comes in the place of a report, and the page comes again by itself."""
    run_id = await started(client)
    answer = await client.get(f"/runs/{run_id}")
    assert answer.status_code == 200
    assert "0 of 4 done" in read(answer.text).text
    assert '<noscript><meta http-equiv="refresh"' in answer.text


async def test_numbers_of_a_failed_run_stand_apart(client: httpx.AsyncClient, store: Store) -> None:
    """No mean is in the strip of a failed run; what was answered has a section of its own."""
    run_id = await ended(
        client,
        store,
        status=RunStatus.FAILED,
        metrics=None,
        reason="endpoint_down",
        latency_ms=a_report().latency_ms,
        partial=Partial(metrics={"mrr": a_summary(0.5)}, note="not this run's result"),
        counts=Counts(
            planned=4,
            ok=0,
            ok_empty=0,
            failed=3,
            skipped=1,
            unscorable=0,
            duplicate_hits=0,
            short_lists=1,
            failed_by_code={"timeout": 3},
        ),
    )
    page = read((await client.get(f"/runs/{run_id}")).text)
    assert "No result: endpoint down" in page.text
    assert "Partial numbers not this run's result" in page.text
    assert "timeout 3" in page.text
    assert f"/runs/{run_id}/queries?status=failed" in page.links
    assert "What it means" not in page.text


async def test_what_is_unknown_says_why(client: httpx.AsyncClient, store: Store) -> None:
    """A number that is not there has a reason in its place."""
    unknown = {"mean_rbo": None, "identical": None, "top1_same": None, "reason": "no_answers"}
    run_id = await ended(
        client,
        store,
        leakage=replace(LEAKAGE, queries=None, share=None, reason="no_splits"),
        stability=replace(FULL["stability"], **unknown),
        slices={},
        latency_ms=replace(a_report().latency_ms, n=0, reason="no request was answered"),
        diagnostics=(),
        metrics={"mrr": a_summary(None, ci=None, reason="too_few")},
        test_set=replace(a_report().test_set, judgments=UNDATED),
    )
    page = read((await client.get(f"/runs/{run_id}")).text)
    for said in (
        "Leakage unknown: no splits",
        "Stability no answers",
        f"mrr {UNDEFINED} too few",
        "age unknown: no dates",
        "Latency no request was answered",
        "no diagnoses",
    ):
        assert said in page.text, said


async def test_another_run_of_the_set_is_offered(client: httpx.AsyncClient, store: Store) -> None:
    """A report offers the other ended runs of its test set to compare with, and not itself."""
    older, newer = await ended(client, store), await ended(client, store)
    text = (await client.get(f"/runs/{newer}")).text
    assert f'<option value="{older}">' in text
    assert f'<option value="{newer}">' not in text


async def test_users_text_is_text(client: httpx.AsyncClient, store: Store) -> None:
    """Whatever users named or sent shows as they wrote it, on each page and in the file."""
    query = {"id": f"a/{HOSTILE}", "query": HOSTILE, "relevant_ids": [HOSTILE], "tags": [HOSTILE]}
    await client.post("/v1/test-sets", json={"name": HOSTILE, "queries": [query]})
    endpoint = {"url": "http://127.0.0.1:9/<b>?x=1&api_key=S3CRET"}
    body = run_body(test_set=HOSTILE, label=HOSTILE, meta={HOSTILE: HOSTILE}, endpoint=endpoint)
    run_id = (await client.post("/v1/runs", json=body)).json()["id"]
    clean = [PlannedRequest(query_id=f"a/{HOSTILE}", text=HOSTILE)] * 4
    told = {**FULL, "slices": {f"tag:{HOSTILE}": FULL["slices"]["tag:faq"]}}
    finding = replace(FEW, message=HOSTILE, fix=HOSTILE)
    told |= {"meta": {HOSTILE: HOSTILE}, "diagnostics": (finding,)}
    await end_run(store, run_id, clean=clean, told=told)
    report = f"/runs/{run_id}"
    one = f"{report}/queries/{quote(f'a/{HOSTILE}', safe='')}"
    for path in ("/runs", report, f"{report}/queries", one, f"/v1{report}/export?format=html"):
        answer = await client.get(path)
        assert answer.status_code == 200, answer.text
        assert HOSTILE in read(answer.text).text, path
        assert "S3CRET" not in answer.text


async def test_file_stands_alone(client: httpx.AsyncClient, store: Store) -> None:
    """The file loads and leads nowhere, and its policy lets in its own style alone."""
    run_id = await ended(client, store)
    answer = await client.get(f"/v1/runs/{run_id}/export?format=html")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="run.html"'
    page = read(answer.text)
    assert page.loads == []
    assert {link.partition(",")[0] for link in page.links} == {
        "#content",
        "#findings",
        "data:text/csv;charset=utf-8",
    }
    styles = re.findall(r"<style>(.*?)</style>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in unescape(answer.text)
    assert "mrr 0.250" in page.text
    assert run_id in page.text


async def test_reader_by_a_link_stays_with_the_run(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """The token of a link goes along to the run's pages; nothing else of the team is linked."""
    ours = await own(guarded, store)
    run_id = ours.of["run_id"]
    key = bearer(await stored_key(store, *SCOPES))
    made = await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=key)
    share = made.json()["token"]
    page = read((await guarded.get(f"/runs/{run_id}?share={share}")).text)
    inner = [link for link in page.links if link.startswith(("/runs", "/v1", "/test-sets"))]
    assert inner
    assert all(f"/runs/{run_id}" in link and f"share={share}" in link for link in inner)


def test_each_family_has_a_card() -> None:
    """A card shows the cut-off of the primary metric, or its family's largest; that one leads."""
    names = ("mrr", "recall@1", "recall@5", "recall@10", "precision@3", "precision(rel=2)@5")
    cards = arrange({name: a_summary() for name in names}, "recall@5")
    assert [card.name for card in cards] == ["recall@5", "mrr", "precision@3", "precision(rel=2)@5"]
    assert [name for name, _ in cards[0].cuts] == ["recall@1", "recall@5", "recall@10"]
