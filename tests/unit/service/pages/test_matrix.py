"""Every page against every identity. The pages are the app's own: a new one is in at once."""

from typing import Any

import httpx
import pytest
from litestar.routes import HTTPRoute

from reteval.contract.api_keys import Scope
from service.api.openapi import Described, list_pages
from service.api.operations import OPERATION, Access, opens_by_link
from service.app import create_app
from service.core.identity import widen
from service.settings import Settings
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.teams import SCOPES, Belongings, bearer, nothing, own

ROUTES = sorted(
    list_pages(create_app(Settings.from_env({})).routes),
    key=lambda one: (one.path, one.method),
)
GUARDED = [one for one in ROUTES if one.operation.scope is not Access.OPEN]
SENT = [one for one in ROUTES if one.method != "get"]
ELSEWHERE: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def name_of(one: Described) -> str:
    """Name a page in a test's id."""
    return f"{one.method} {one.path}"


async def ask(
    client: httpx.AsyncClient,
    one: Described,
    ids: Belongings,
    headers: dict[str, str],
    **query: str,
) -> httpx.Response:
    """Ask for a page, or send its form empty."""
    return await client.request(
        one.method.upper(), ids.put_into(one.path), headers={**FORM, **headers}, params=query
    )


async def signed_in(client: httpx.AsyncClient, key: str) -> dict[str, str]:
    """Return the header of a session that begins with a key."""
    answer = await client.post("/sign-in", data={"key": key, "next": "/runs"})
    assert answer.status_code == 303, answer.text
    client.cookies.clear()
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


@pytest.fixture
async def sessions(guarded: httpx.AsyncClient, store: Store) -> dict[Scope, Any]:
    """Return a session for each scope."""
    return {scope: await signed_in(guarded, await stored_key(store, scope)) for scope in Scope}


def test_every_page_says_what_it_needs() -> None:
    """Whatever lies outside /v1 has an operation that names its scope, or says that it is open."""
    for route in create_app(Settings.from_env({})).routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                known = OPERATION in handler.opt or set(handler.http_methods) == {"OPTIONS"}
                assert known, route.path


async def test_without_a_key_pages_lead_to_signing_in(guarded: httpx.AsyncClient) -> None:
    """A page leads to where a key can be given and back; a form is refused."""
    for one in GUARDED:
        answer = await ask(guarded, one, nothing(), {})
        if one.method == "get":
            assert answer.status_code == 303, name_of(one)
            assert answer.headers["location"].startswith("/sign-in?next=%2F"), name_of(one)
        else:
            assert answer.status_code == 401, name_of(one)
            assert answer.headers["content-type"].startswith("text/html")


async def test_scope_of_the_key_decides(
    guarded: httpx.AsyncClient, sessions: dict[Scope, Any]
) -> None:
    """A session opens where its key has the scope, or one that includes it; else 403."""
    wrong = []
    for one in GUARDED:
        if one.path == "/sign-out":
            continue
        for scope, cookie in sessions.items():
            answer = await ask(guarded, one, nothing(), cookie)
            needed = one.operation.scope
            fits = needed is Access.ANY_KEY or needed in widen([scope])
            if (answer.status_code not in (401, 403)) != fits:
                wrong.append((name_of(one), scope, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("headers", ELSEWHERE, ids=str)
async def test_forms_of_other_sites_are_refused(
    client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    """No other site can send a form of ours, with a session or where none is asked for."""
    assert SENT
    for one in SENT:
        answer = await ask(client, one, nothing(), headers)
        assert answer.status_code == 403, name_of(one)


@pytest.mark.parametrize(
    "one", [one for one in GUARDED if "{" in one.path and one.method == "get"], ids=name_of
)
async def test_foreign_page_is_like_a_missing_one(
    guarded: httpx.AsyncClient, store: Store, one: Described
) -> None:
    """What is ours is to another team like what is nowhere."""
    ours = await own(guarded, store, one.path)
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    foreign = await ask(guarded, one, ours, theirs)
    missing = await ask(guarded, one, nothing(), theirs)
    assert (foreign.status_code, missing.status_code) == (404, 404)


async def test_link_opens_the_pages_of_its_run(guarded: httpx.AsyncClient, store: Store) -> None:
    """Whoever has the token of a link to a run sees the run's pages, and no others."""
    ours = await own(guarded, store)
    mine = bearer(await stored_key(store, *SCOPES))
    made = await guarded.post(f"/v1/runs/{ours.of['run_id']}/links", json={}, headers=mine)
    share = made.json()["token"]
    for one in GUARDED:
        if one.method != "get":
            continue
        answer = await ask(guarded, one, ours, {}, share=share)
        opened = opens_by_link(one.operation)
        assert (answer.status_code == 200) == opened, (name_of(one), answer.text)
