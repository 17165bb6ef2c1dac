"""Routes of badges: what they show of which run, to whom, and how long it may be kept."""

from typing import Any

import httpx
import pytest

from reteval.contract.api_keys import Scope
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.documents import a_summary
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.scored import scored_run
from tests.unit.service.api.teams import bearer

MISMATCH = Diagnostic(
    code=DiagnosticCode.ID_MISMATCH, severity=Severity.BLOCK, message="no id matches", fix="map"
)


def shown(badge: Any) -> tuple[str, str, str, bool]:
    """Return what a badge says, without its version."""
    assert badge.pop("schemaVersion") == 1
    assert set(badge) == {"label", "message", "color", "isError"}
    return badge["label"], badge["message"], badge["color"], badge["isError"]


async def test_badge_of_a_run_shows_its_first_metric(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """The message has the number of queries; a title takes the place of the metric's name."""
    plain = await client.get(f"/v1/runs/{ended_run}/badge.json")
    assert shown(plain.json()) == ("mrr", "0.250 (n=2)", "blue", False)
    titled = await client.get(f"/v1/runs/{ended_run}/badge.json?metric=RR&title=Help search")
    assert shown(titled.json()) == ("Help search", "0.250 (n=2)", "blue", False)


@pytest.mark.parametrize(("floor", "color"), [(0.25, "brightgreen"), (0.26, "red")])
async def test_floor_decides_the_colour(
    client: httpx.AsyncClient, ended_run: str, floor: float, color: str
) -> None:
    """At the floor it is green, below it red, and neither is an error."""
    answer = await client.get(f"/v1/runs/{ended_run}/badge.json?floor={floor}")
    assert shown(answer.json())[2:] == (color, False)


async def test_image_may_be_shown_anywhere_and_is_confirmed_by_its_tag(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """An SVG for pages of every origin, kept a minute; whoever has it gets 304."""
    path = f"/v1/runs/{ended_run}/badge.svg"
    image = await client.get(path)
    assert image.headers["content-type"].startswith("image/svg+xml")
    assert b"0.250 (n=2)" in image.content
    assert image.headers["cache-control"] == "private, max-age=60"
    assert image.headers["cross-origin-resource-policy"] == "cross-origin"
    again = await client.get(path, headers={"If-None-Match": image.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("changes", "metric", "message"),
    [
        ({"diagnostics": (MISMATCH,)}, "", "id mismatch"),
        ({"metrics": None}, "", "run failed"),
        ({}, "ndcg@10", "not measured"),
        ({"metrics": {"mrr": a_summary(None)}}, "mrr", "not measured"),
    ],
)
async def test_number_that_does_not_count_is_not_shown(
    client: httpx.AsyncClient, store: Store, changes: Any, metric: str, message: str
) -> None:
    """A blocked or failed run, or one without the metric, is a red error and no number."""
    run_id = await scored_run(store, **changes)
    answer = await client.get(f"/v1/runs/{run_id}/badge.json?metric={metric}&floor=0")
    assert shown(answer.json())[1:] == (message, "red", True)


async def test_latest_badge_is_that_of_label_and_branch(
    client: httpx.AsyncClient, store: Store
) -> None:
    """The newest completed run that fits is shown, in both forms; where there is none, 404."""
    await client.post("/v1/test-sets", json=TEST_SET)
    for label, branch, mean in (("a", "main", 0.1), ("a", "topic", 0.2), ("b", "main", 0.3)):
        body = run_body(label=label, meta={"branch": branch})
        made = await client.post("/v1/runs", json=body)
        await end_run(store, made.json()["id"], mean=mean)
    found = {}
    for query in ("", "&label=a", "&branch=main", "&label=a&branch=main"):
        answer = await client.get(f"/v1/badges/latest.json?test_set=ended{query}")
        found[query] = answer.json()["message"][:5]
        image = await client.get(f"/v1/badges/latest.svg?test_set=ended{query}")
        assert found[query] in image.text
    assert found == {
        "": "0.300",
        "&label=a": "0.200",
        "&branch=main": "0.300",
        "&label=a&branch=main": "0.100",
    }
    none = await client.get("/v1/badges/latest.json?test_set=ended&branch=gone")
    assert (none.status_code, none.json()["code"]) == (404, "not_found")
    latest = await client.get("/v1/latest?label=a&branch=main")
    assert latest.json()["meta"] == {"branch": "main"}


@pytest.mark.parametrize("query", ["metric=nonsense", "floor=2", "floor=x", "format=png"])
async def test_wrong_words_are_refused(
    client: httpx.AsyncClient, ended_run: str, query: str
) -> None:
    """A parameter that means nothing is named."""
    answer = await client.get(f"/v1/runs/{ended_run}/badge.svg?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"?{query.partition('=')[0]}"


async def test_badge_is_private_until_shared(guarded: httpx.AsyncClient, store: Store) -> None:
    """Without a key 401, of another team 404; a link opens the badge of its run alone."""
    mine = bearer(await stored_key(store, Scope.RUNS_WRITE, Scope.RESULTS_READ))
    run_id, other = await scored_run(store), await scored_run(store)
    path = f"/v1/runs/{run_id}/badge.svg"
    assert (await guarded.get(path)).status_code == 401
    theirs = bearer(await stored_key(store, Scope.RESULTS_READ, team="others"))
    assert (await guarded.get(path, headers=theirs)).status_code == 404
    assert (
        await guarded.get("/v1/badges/latest.svg?test_set=set", headers=theirs)
    ).status_code == 404
    link = await guarded.post(f"/v1/runs/{run_id}/links", json={}, headers=mine)
    token = link.json()["token"]
    assert (await guarded.get(f"{path}?share={token}")).status_code == 200
    assert (await guarded.get(f"/v1/runs/{other}/badge.svg?share={token}")).status_code == 404
