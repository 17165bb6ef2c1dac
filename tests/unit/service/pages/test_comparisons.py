"""The form that asks for a comparison, and the page of what it found."""

import httpx

from reteval.contract.differences import ChangeCounts, Changes
from reteval.contract.robustness import Change, KindChange, RobustnessComparison
from service.store.store import Store
from tests.unit.service.pages.compared import asked, compared, end, two_runs
from tests.unit.service.pages.markup import HOSTILE, read

CHANGE = KindChange(
    kind="typo.mixed",
    severity=1,
    source="generated",
    headline="mrr",
    needs=3,
    baseline_drop=0.1,
    candidate_drop=0.3,
    change=Change(mean=0.2, ci=(0.1, 0.3), method="t", level=0.95, p=0.01, p_holm=0.01),
    verdict="worse",
)
ROBUSTNESS = RobustnessComparison(
    suite="2026.1",
    seed=0,
    metric="mrr",
    kinds=(CHANGE,),
    macro_change=0.2,
    worst_kind="typo.mixed",
    margin=0.02,
    alpha=0.05,
)


async def test_page_tells_what_was_found(client: httpx.AsyncClient, store: Store) -> None:
    """Verdict, power, queries, slices, overlap, latency and what is left out are on one page."""
    ids = await compared(client, store, dropped={"failed_in_candidate": 1})
    page = read((await client.get(ids.path)).text)
    for said in (
        "branch against main",
        "No change within 0.02.",
        "▲ 10 wins, = 29 ties, ▼ 10 losses",
        "mrr primary 0.820 0.810 -0.010 [-0.030, +0.010] 0.600 2 ? inconclusive",
        "You could see 0.04. Least difference seen in 80 % of cases: ±0.040",
        "Power for a difference of the margin: 50.0 %",
        "refund 1.000 0.250 ▼ -0.750",
        "failed in candidate: 1",
        "tag:faq 20 0.800 0.700 -0.100 [-0.200, -0.050]",
        "Same first document 90.0 %",
        "Mean difference +1.0 ms",
    ):
        assert said in page.plain, said
    assert f"{ids.path}/queries/a%2Fb%20%3F" in page.links
    assert f"/runs/{ids.candidate}" in page.links


async def test_bars_lead_to_queries_and_texts_stay_texts(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Each bar is a link within the page's own site; a query's text runs nowhere."""
    ids = await compared(client, store, warnings=(f"other_set: {HOSTILE}",))
    text = (await client.get(ids.path)).text
    assert f'xlink:href="{ids.path}/queries/a%2Fb%20%3F"' in text
    assert "page.invalid" not in text
    assert HOSTILE in read(text).text
    assert text.count("<svg") == 3


async def test_parts_that_only_some_comparisons_have(
    client: httpx.AsyncClient, store: Store
) -> None:
    """Robustness by kind, and what changed in the test set, are told where they are known."""
    changes = Changes(queries=ChangeCounts(added=4), head=("scale",), reordered=True)
    ids = await compared(client, store, robustness=ROBUSTNESS, test_set_changes=changes)
    page = read((await client.get(ids.path)).text)
    assert "Mean over all kinds: +0.200" in page.text
    assert "typo.mixed · 1" in page.text
    assert "Queries 4 0 0" in page.text
    assert "Of the set itself: scale." in page.text


async def test_unlike_suites_say_why(client: httpx.AsyncClient, store: Store) -> None:
    """Robustness that cannot be compared has its reason in the place of a picture."""
    unlike = RobustnessComparison(
        suite="", seed=0, metric="", kinds=(), macro_change=None, worst_kind=None, margin=0.02,
        alpha=0.05, reason="other_seed",
    )  # fmt: skip
    ids = await compared(client, store, robustness=unlike, movers=(), slices={})
    page = read((await client.get(ids.path)).text)
    assert "Not compared: other seed." in page.text
    assert "Nothing: every query has the same mrr" in page.text
    assert "Slices" not in page.text


async def test_queries_are_gone_with_their_run(client: httpx.AsyncClient, store: Store) -> None:
    """A comparison outlives its runs: what it kept of queries is still there."""
    ids = await compared(client, store)
    assert (await client.delete(f"/v1/runs/{ids.baseline}")).status_code == 204
    page = read((await client.get(ids.path)).text)
    assert "One of the runs has been deleted since" in page.text
    assert "refund" in page.text


async def test_pending_page_comes_again_by_itself(client: httpx.AsyncClient, store: Store) -> None:
    """Until a comparison has ended its page says so and is asked for again; then no more."""
    ids = await asked(client, store)
    pending = await client.get(ids.path)
    assert pending.headers["refresh"] == "1"
    assert "queued It is being made" in read(pending.text).text
    await end(store, ids.id, report=None)
    failed = await client.get(ids.path)
    assert "refresh" not in failed.headers
    page = read(failed.text)
    assert "It ended without a report: worker_crashed." in page.text
    assert f"/comparisons/new?baseline={ids.baseline}&candidate={ids.candidate}" in page.links


async def test_form_offers_runs_and_asks(client: httpx.AsyncClient, store: Store) -> None:
    """The form knows the newest runs; sent, it leads to the comparison that the API would make."""
    baseline, candidate = await two_runs(store)
    form = await client.get("/comparisons/new", params={"baseline": baseline})
    assert f'name="baseline" required maxlength="64" size="30" list="runs" value="{baseline}"' in (
        form.text
    )
    assert f"/comparisons/new?baseline={baseline}&candidate={candidate}" in read(form.text).links
    pair = {"baseline": baseline, "candidate": candidate}
    sent = {**pair, "primary": " RR ", "margin": "0.05", "on": ""}
    led = await client.post("/comparisons/new", data=sent)
    assert led.status_code == 303
    same = await client.post("/v1/comparisons", json={**pair, "primary": "mrr", "margin": 0.05})
    assert led.headers["location"] == f"/comparisons/{same.json()['id']}"


async def test_form_lets_the_browser_say_where_it_is_from(client: httpx.AsyncClient) -> None:
    """Without a referrer, browsers send `Origin: null` with a form, and it would be refused."""
    form = await client.get("/comparisons/new")
    assert form.headers["referrer-policy"] == "same-origin"


async def test_form_names_what_is_wrong(client: httpx.AsyncClient, store: Store) -> None:
    """A number that is none, and a run that does not exist, are told with their field."""
    baseline, candidate = await two_runs(store)
    pair = {"baseline": baseline, "candidate": candidate}
    wrong = await client.post("/comparisons/new", data={**pair, "margin": "much"})
    assert wrong.status_code == 422
    assert "?margin" in wrong.text
    missing = await client.post("/comparisons/new", data={**pair, "candidate": HOSTILE[:60]})
    assert missing.status_code == 404
    assert "/candidate" in read(missing.text).text
