"""The guard: what it takes from a request, and what is the same whether keys are needed or not."""

from typing import Any

import httpx
import pytest
from litestar import Litestar, get

from reteval.contract.api_keys import Scope
from service.api.access import Guard
from service.api.problems import answer_service_error
from service.errors import ServiceError
from service.store.store import Store
from tests.factories import api_key, stored_key
from tests.unit.service.api.teams import bearer


@pytest.mark.parametrize(
    "query",
    [
        "api_key=x",
        "API_KEY=x",
        "apikey=x",
        "access_token=x",
        "authorization=Bearer+x",
        f"label={api_key(Scope.ADMIN)[0]}",
        f"share={api_key(Scope.ADMIN)[0]}",
    ],
    ids=lambda query: query.partition("=")[0],
)
async def test_key_in_the_address_is_refused(
    client: httpx.AsyncClient, guarded: httpx.AsyncClient, query: str
) -> None:
    """Addresses are kept in logs: a key there is 400, auth on or off, and not repeated."""
    for api in (client, guarded):
        answer = await api.get(f"/v1/runs?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "key_in_url")
        assert "reteval_" not in answer.text


async def test_without_auth_everybody_is_the_default_team(
    client: httpx.AsyncClient, store: Store
) -> None:
    """With auth off a key that is sent is not looked at, and every route is open."""
    key = bearer(await stored_key(store, Scope.RUNS_READ, team="others"))
    for headers in ({}, key, bearer("nonsense")):
        answer = await client.post("/v1/teams", json={"id": "x", "name": "x"}, headers=headers)
        assert answer.status_code in (201, 409)
    log = (await client.get("/v1/audit")).json()["items"]
    assert [(row["event"], row["team"], row["key"]) for row in log] == [
        ("team_created", "default", ""),
        ("service_started", "", ""),
    ]


async def test_forbidden_names_the_scope(guarded: httpx.AsyncClient, store: Store) -> None:
    """403 says which scope the key lacks, so that its owner can ask for it."""
    key = bearer(await stored_key(store, Scope.RESULTS_READ))
    answer = await guarded.get("/v1/runs", headers=key)
    assert answer.json()["detail"] == "The key lacks the scope 'runs:read'."


async def test_operations_need_no_key(guarded: httpx.AsyncClient) -> None:
    """Health, readiness and the documentation are open."""
    for path in ("/healthz", "/readyz", "/docs", "/openapi.yaml"):
        assert (await guarded.get(path)).status_code == 200


async def test_options_need_no_key(guarded: httpx.AsyncClient) -> None:
    """What a route answers to is told to everybody."""
    answer = await guarded.options("/v1/runs")
    assert (answer.status_code, "POST" in answer.headers["Allow"]) == (204, True)


async def test_route_that_says_nothing_is_closed() -> None:
    """A handler without an operation answers nobody, not even with auth off."""

    @get("/x", guards=[Guard(required=False, operator_key="").check])
    async def forgotten() -> str:
        return "open"

    app: Any = Litestar(
        [forgotten], exception_handlers={ServiceError: answer_service_error}, openapi_config=None
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://api.test") as client:
        answer = await client.get("/x")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
