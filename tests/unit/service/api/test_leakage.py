"""Routes of leakage checks: accepted, refused, read, paged through."""

from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.api_keys import Scope
from reteval.contract.leakage import LeakedPair, LeakPlace, PairSide
from reteval.contract.leaks import LeakKind
from reteval.contract.runs import RunStatus
from service.store.chunks import unpack
from service.store.keys import DEFAULT_TENANT
from service.store.records import GivenTexts
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.reteval.test_leakage import a_leakage_report
from tests.unit.service.api.ended import TEST_SET, end_run, run_body
from tests.unit.service.api.teams import SCOPES, bearer

LISTED = {LeakKind.EXACT: 3, LeakKind.NEAR: 2, LeakKind.LIFTED: 1}
PAIRS = [
    LeakedPair(
        kind=kind,
        place=LeakPlace.WITHIN,
        query=PairSide(id=f"{kind}-{at}", text="a"),
        other=PairSide(id="b", text="b"),
    )
    for kind, n in LISTED.items()
    for at in range(n)
]


async def upload(client: httpx.AsyncClient, **changes: Any) -> str:
    """Upload the set of the tests and return its id."""
    made = await client.post("/v1/test-sets", json=TEST_SET | changes)
    return str(made.json()["id"])


async def end_check(store: Store, check_id: str) -> GivenTexts:
    """End a check as a worker does, and return what it was given."""
    claim = await store.claims.claim(DEFAULT_TENANT, check_id, owner="w", lease_s=30)
    assert claim is not None
    sent = await store.claims.secrets(claim)
    assert sent is not None
    await store.journal.put_pairs(claim, PAIRS)
    report = a_leakage_report(listed=LISTED)
    await store.journal.finish(
        claim, status=RunStatus.COMPLETED, report=msgspec.json.encode(report), error=""
    )
    return unpack(sent, GivenTexts)


async def test_check_is_accepted_and_read(client: httpx.AsyncClient, store: Store) -> None:
    """202 with a place to look; 200 with the report; what was sent reaches the worker alone."""
    test_set = await upload(client)
    body = {
        "test_set": "ended",
        "against": {"texts": ["secret text"]},
        "corpus": [{"id": 7, "text": "document"}],
    }
    made = await client.post("/v1/leakage-checks", json=body)
    assert made.status_code == 202
    check = made.json()
    place = f"/v1/leakage-checks/{check['id']}"
    assert made.headers["location"] == place == check["links"]["self"]
    assert check["links"]["test_set"] == f"/v1/test-sets/{test_set}"
    record = await store.leakage.get(DEFAULT_TENANT, check["id"])
    assert b"secret" not in msgspec.json.encode(record.spec)
    early = await client.get(f"{place}/pairs")
    assert (early.status_code, early.json()["code"]) == (409, "not_terminal")
    given = await end_check(store, check["id"])
    assert given == GivenTexts(against=["secret text"], corpus={"7": "document"})
    read = await client.get(f"{place}?wait=5")
    assert (read.status_code, read.json()["status"]) == (200, "completed")
    assert read.json()["report"]["listed"] == {"exact": 3, "near": 2, "lifted": 1}


async def test_pairs_are_paged_by_kind(client: httpx.AsyncClient, store: Store) -> None:
    """All of them in order, or those of one kind; a kind without pairs is an empty page."""
    await upload(client)
    check = (await client.post("/v1/leakage-checks", json={"test_set": "ended"})).json()["id"]
    await end_check(store, check)

    async def read(**params: Any) -> list[str]:
        found, cursor = [], ""
        while True:
            page = await client.get(
                f"/v1/leakage-checks/{check}/pairs",
                params={"limit": 2, "cursor": cursor, **params},
            )
            assert page.status_code == 200, page.text
            found += [item["query"]["id"] for item in page.json()["items"]]
            cursor = page.json()["next_cursor"]
            if cursor is None:
                return found

    assert await read() == [pair.query.id for pair in PAIRS]
    assert await read(kind="exact") == ["exact-0", "exact-1", "exact-2"]
    assert await read(kind="lifted") == ["lifted-0"]
    assert await read(kind="verbatim") == []
    first = await client.get(f"/v1/leakage-checks/{check}/pairs?kind=exact&limit=2")
    other = await client.get(
        f"/v1/leakage-checks/{check}/pairs?kind=near&cursor={first.json()['next_cursor']}"
    )
    assert other.status_code == 400
    assert (await client.get(f"/v1/leakage-checks/{check}/pairs?kind=no")).status_code == 422


async def test_a_run_is_shown_to_those_who_may_read_it(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """Its metrics are in the report: a key for test sets alone neither asks for nor reads it."""
    client, all_of_it = guarded, bearer(await stored_key(store, *SCOPES))
    await client.post("/v1/test-sets", json=TEST_SET, headers=all_of_it)
    made = await client.post("/v1/runs", json=run_body(), headers=all_of_it)
    run = made.json()["id"]
    body = {"test_set": "ended", "run": run}
    unended = await client.post("/v1/leakage-checks", json=body, headers=all_of_it)
    assert (unended.status_code, unended.json()["errors"][0]["pointer"]) == (422, "/run")
    await end_run(store, run)
    check = (await client.post("/v1/leakage-checks", json=body, headers=all_of_it)).json()
    assert check["links"]["run"] == f"/v1/runs/{run}"
    poor = bearer(await stored_key(store, Scope.TEST_SETS_READ))
    place = f"/v1/leakage-checks/{check['id']}"
    for refused in (
        await client.post("/v1/leakage-checks", json=body, headers=poor),
        await client.get(place, headers=poor),
        await client.get(f"{place}/pairs", headers=poor),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    rich = bearer(await stored_key(store, Scope.TEST_SETS_READ, Scope.RESULTS_READ))
    assert (await client.get(place, headers=rich)).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"test_set": "nowhere"}, 404, "/test_set"),
        ({"test_set": "ended", "against": {"test_set": "nowhere"}}, 404, "/against/test_set"),
        ({"test_set": "ended", "against": {"test_set": "ended"}}, 422, "/against/test_set"),
        ({"test_set": "ended", "against": {}}, 422, "/against"),
        ({"test_set": "ended", "against": {"texts": ["x"], "test_set": "o"}}, 404, None),
        ({"test_set": "ended", "against": {"texts": ["x"], "test_set": "other"}}, 422, "/against"),
        ({"test_set": "ended", "against": {"texts": [""]}}, 422, "/against/texts/0"),
        ({"test_set": "ended", "run": "run_none"}, 404, "/run"),
        ({"test_set": "ended", "corpus": [{"id": "a"}]}, 422, "/corpus/0"),
        ({}, 422, None),
    ],
)
async def test_bad_checks_are_refused(
    client: httpx.AsyncClient, store: Store, body: dict[str, Any], status: int, pointer: str | None
) -> None:
    """Each refusal names its place, and nothing is stored."""
    await upload(client)
    await upload(client, name="other")
    refused = await client.post("/v1/leakage-checks", json=body)
    assert refused.status_code == status, refused.text
    if pointer is not None:
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert await store.jobs.active() == []


async def test_run_of_another_set_is_refused(client: httpx.AsyncClient, store: Store) -> None:
    """Its queries would be others'."""
    await upload(client)
    other = TEST_SET | {"name": "other", "queries": [{"query": "x", "relevant_ids": ["d"]}]}
    await client.post("/v1/test-sets", json=other)
    run = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, run)
    refused = await client.post("/v1/leakage-checks", json={"test_set": "other", "run": run})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/run")


async def test_large_sets_are_refused(client: httpx.AsyncClient) -> None:
    """Beyond twenty thousand queries a part is to be checked."""
    queries = [{"query": f"query number {at}", "relevant_ids": ["d"]} for at in range(20_001)]
    lines = b"\n".join(map(msgspec.json.encode, queries))
    sent = await client.post(
        "/v1/test-sets?name=large", content=lines, headers={"Content-Type": "application/x-ndjson"}
    )
    assert sent.status_code == 201
    refused = await client.post("/v1/leakage-checks", json={"test_set": "large"})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/test_set")


async def test_unknown_checks_are_not_found(client: httpx.AsyncClient) -> None:
    """An id that nobody knows, or another job's."""
    for name in ("lk_none", "prv_none"):
        for path in (f"/v1/leakage-checks/{name}", f"/v1/leakage-checks/{name}/pairs"):
            missing = await client.get(path)
            assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
