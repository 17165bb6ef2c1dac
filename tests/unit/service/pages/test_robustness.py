"""The robustness of a run."""

import re
from typing import Any

import httpx

from reteval.contract.adversarial import AdversarialReport, Changing, Detectable, Example, WordBin
from reteval.contract.hostile import Expectation, HostileCase, HostileVerdict
from reteval.contract.out_of_corpus import (
    Auroc,
    Floor,
    OutOfCorpus,
    Ratio,
    Refusals,
    RiskCoverage,
    ScoreSense,
    Tier,
)
from service.pages.hints import HINTS
from service.pages.robustness import arrange_cases
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.documents import a_kind, an_adversarial_report
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import SCOPES, bearer
from tests.unit.service.pages.markup import HOSTILE, Page, read
from tests.unit.service.pages.test_report import started

KIND = a_kind(
    min_detectable=Detectable(drop=0.08),
    by_content_words=(WordBin(bin="1-2", needs=9, drop=0.3, ci=None),),
    examples=(
        Example(query_id="q 2", clean="refund", variant=HOSTILE, before=1, after=0, status="ok"),
    ),
)
NOT_RUN = a_kind(
    kind="unicode.nfd",
    clean=None,
    variant=None,
    drop=KIND.drop.__class__(mean=None, ci=None, method="t", level=0.95, reason="no_query"),
    verdict="not_run",
    reason="no_query",
)
NEGATION = Changing(
    kind="negation",
    family="meaning",
    severity=1,
    target="random",
    source="generated",
    needs=62,
    not_applicable={},
    rbo=0.95,
    ci=(0.9, 0.97),
    p=0.9,
    control_rbo=1.0,
    margin=0.1,
    status={},
    verdict="insensitive",
)
UNANSWERED = OutOfCorpus(
    tiers=(
        Tier(
            tier="far",
            queries=60,
            answered=58,
            abstention_rate=0.25,
            abstention_ci=(0.15, 0.4),
            page_fill=0.75,
            status={},
            examples=("rice pudding",),
            score_auroc=Auroc(top1=0.9, mean_k=0.8, gap=0.7, n=50, of=58),
            fpr_at_95=Ratio(value=0.6, n=58),
            suggested_floor=Floor(value=5.5),
            junk_concentration=Ratio(value=None, n=0, reason="no_hits"),
        ),
        Tier(
            tier="near",
            queries=60,
            answered=0,
            abstention_rate=None,
            abstention_ci=None,
            page_fill=None,
            status={},
            examples=(),
            suggested_floor=Floor(value=None, reason="auroc_below_0.8"),
            reason="no_answers",
        ),
    ),
    false_refusal_rate=Refusals(n=2, of=74),
    score=ScoreSense(direction="higher_is_better"),
    risk_coverage=RiskCoverage(aurc=0.3, at={"0.25": 0.2, "1.00": 0.4}, n=74, metric="mrr"),
)


def case(name: str, verdict: HostileVerdict, **changes: Any) -> HostileCase:
    """Return an odd string and what came of it."""
    told: dict[str, Any] = {
        "group": "hostile",
        "why": "syntax",
        "sent": HOSTILE,
        "sent_chars": 300,
        "expect": Expectation.NO_5XX,
        "bound_ms": 2_000.0,
    }
    return HostileCase(case=name, verdict=verdict, **{**told, **changes})


CASES = (
    case("fine", HostileVerdict.OK, http=200, hits=0, clean_hits=2, latency_ms=4.0),
    case("slow", HostileVerdict.SLOW, code="timeout"),
    case("broken", HostileVerdict.BROKEN, http=500, group="hostile.sql"),
)


async def look(
    client: httpx.AsyncClient, store: Store, found: AdversarialReport, query: str = ""
) -> Page:
    """Read the page of a run whose report has this block."""
    run_id = await started(client, label="first")
    await end_run(store, run_id, told={"adversarial": found})
    answer = await client.get(f"/runs/{run_id}/robustness{query}")
    assert answer.status_code == 200, answer.text
    assert "page.invalid" not in answer.text
    return read(answer.text.replace(run_id, "RUN"))


async def test_all_parts_are_on_one_page(client: httpx.AsyncClient, store: Store) -> None:
    """Kinds, what should change, what has no answer, odd strings and variants are told."""
    found = an_adversarial_report(
        kinds=(KIND, NOT_RUN), changing=(NEGATION,), out_of_corpus=UNANSWERED, hostile=CASES
    )
    page = await look(client, store, found)
    for said in (
        "Mean drop of ndcg@10 over 1 kinds: +0.150",
        "asked twice: 1 of 48 lists changed, overlap 1.000",
        "typo.mixed · 1 ▼ worse 48 0.700 → 0.550 +0.150 [+0.100, +0.200] - 0.080 21.0 %",
        "unicode.nfd · 1 · not run no query 48 - → - - - -",
        f"refund {HOSTILE} 1.000 → 0.000 ok",
        "negation · 1 62 0.950 [0.900, 0.970] 1.000 insensitive",
        "Of 74 clean queries with an answer, 2 came back empty, too. Scores: higher is better.",
        "far 58 of 60 25.0 % [0.150, 0.400] 0.750 0.900 n = 50 0.600 n = 58 5.500 - n = 0 no hits",
        "near 0 of 60 - - no answers - - - - auroc below 0.8 -",
        "far: rice pudding",
        "the risk (1 - mrr) is 0.200 at 25.0 %, 0.400 at 100.0 %.",
        "hostile 1 0 0 0 0 1 0",
        f"✕ broken broken {HOSTILE} 300 characters no 5xx 500",
        f"✓ ok fine {HOSTILE} 300 characters no 5xx 200 0 plain 2 4.0 ms",
        "reset =password variant 1 typo.mixed · 1 ok, 1 ▼ 0.500 → 0.250",
        "drops of different kinds are not comparable",
    ):
        assert said in page.plain, said
    assert page.plain.index("✕ broken broken") > page.plain.index("◔ slow slow")
    assert "/runs/RUN/robustness?kind=typo.mixed#variants" in page.links
    assert "/runs/RUN/queries/q%202" in page.links


async def test_variants_are_chosen_by_kind_and_paged(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Only variants of the kind are listed, a page at a time; the next page keeps the kind."""
    found = an_adversarial_report(
        kinds=(NOT_RUN,), control=None, out_of_corpus=None, summary=an_adversarial_report().summary
    )
    page = await look(client, store, found, "?kind=short.k2&limit=1")
    assert "variant 2 short.k2 · 1" in page.text
    assert "variant 1 " not in page.text
    assert any("kind=short.k2" in link and "cursor=" in link for link in page.links)
    assert "Odd and hostile strings" not in page.text
    assert "No answer exists" not in page.text


async def test_block_without_kinds_says_so(client: httpx.AsyncClient, store: Store) -> None:
    """A run of odd strings alone has no drop, and names no kind of variant that it has not."""
    summary = an_adversarial_report().summary
    found = an_adversarial_report(
        kinds=(),
        summary=summary.__class__(
            macro_drop=None, kinds_run=0, worst_kind=None, inconclusive=0, reason="no_kinds"
        ),
    )
    page = await look(client, store, found, "?kind=nothing")
    assert "No drop could be measured: no kinds" in page.text
    assert "No kind that keeps the meaning was run." in page.text
    assert "No variants of nothing were sent." in page.text


async def test_run_without_the_block_says_the_command(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """Nothing to show is told with what would show something."""
    answer = await client.get(f"/runs/{ended_run}/robustness")
    assert HINTS["robustness"] in read(answer.text).text


async def test_reader_by_a_link_stays_with_the_run(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """The token of a link goes along in links, pictures, pages and the form."""
    key = bearer(await stored_key(store, *SCOPES))
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=key)
    made = await guarded.post("/v1/runs", json=run_body(), headers=key)
    run_id = made.json()["id"]
    await end_run(store, run_id, told={"adversarial": an_adversarial_report(kinds=(KIND,))})
    token = (await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=key)).json()["token"]
    text = (await guarded.get(f"/runs/{run_id}/robustness?limit=1&share={token}")).text
    links = [*re.findall(r'xlink:href="([^"]+)"', text), *read(text).links]
    inner = [link for link in links if link.startswith("/runs")]
    assert len(inner) > 5
    assert all(f"/runs/{run_id}" in link and f"share={token}" in link for link in inner)
    assert f'name="share" value="{token}"' in text


def test_what_went_wrong_comes_first() -> None:
    """Cases are counted by group; those that are not as expected stand apart, by verdict."""
    found = arrange_cases(CASES)
    assert found.counts == {
        "hostile": {HostileVerdict.OK: 1, HostileVerdict.SLOW: 1},
        "hostile.sql": {HostileVerdict.BROKEN: 1},
    }
    assert [one.case for one in found.odd] == ["slow", "broken"]
    assert [one.case for one in found.well] == ["fine"]
