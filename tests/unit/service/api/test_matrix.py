"""Every route against every identity. The routes are the app's own: a new one is in at once."""

import re
import time
from itertools import count
from typing import Any

import httpx
import pytest
import redis
from litestar import Litestar
from litestar.routes import HTTPRoute

from reteval.contract.api_keys import Scope
from reteval.contract.tokens import KEY, SECRET_CHARS, spell_token
from service.api.openapi import Described, list_operations
from service.api.operations import OPERATION, Access, Operation, opens_by_link
from service.app import create_app
from service.core.grants import RUN
from service.core.identity import widen
from service.core.keyring import Keyring
from service.core.limiter import UNLIMITED, Limiter
from service.settings import Settings
from service.store.keys import new_id
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.teams import (
    ADDRESS,
    SCOPES,
    Belongings,
    bearer,
    nothing,
    own,
)

pytestmark = pytest.mark.no_cover  # what each route does has tests of its own

APP: Litestar = create_app(Settings.from_env({}))
OTHERS = [one for one in list_operations(APP.routes) if not one.path.startswith("/v1")]
ROUTES = sorted(
    (one for one in list_operations(APP.routes) if one.path.startswith("/v1")),
    key=lambda one: (one.path, one.method),
)
A_SECOND_AGO_MS = round(time.time() * 1_000) - 1_000
EXPORT = "/v1/runs/{run_id}/export"
GIVEN = {
    EXPORT: "?format=csv",
    "/v1/test-sets/{test_set}/diff": "?against={test_set}",
}
"""What a route cannot do without."""
UNKNOWN = spell_token(KEY, "u" * 22, "s" * SECRET_CHARS)
NAMED = re.compile(
    r"(run|ts|lnk|key|gr|cmp|prv|prb|lk|ep|wh|sch|al|evt|jdg|jst|su|srn)_[0-9A-Za-z]{22}"
    r"|'default'|'team_\w+'"
)


def name_of(one: Described) -> str:
    """Name a route in a test's id."""
    return f"{one.method} {one.path}"


object_routes = pytest.mark.parametrize(
    "one",
    [one for one in ROUTES if "{" in one.path and one.operation.scope is not Scope.ADMIN],
    ids=name_of,
)
unshared_routes = pytest.mark.parametrize(
    "one",
    [
        one
        for one in ROUTES
        if "{" in one.path and not one.operation.shared and one.operation.scope is not Scope.ADMIN
    ],
    ids=name_of,
)
run_routes = pytest.mark.parametrize(
    "one", [one for one in ROUTES if one.operation.shared == RUN], ids=name_of
)
shared_routes = pytest.mark.parametrize(
    "one", [one for one in ROUTES if one.operation.shared], ids=name_of
)


async def ask(
    client: httpx.AsyncClient, one: Described, ids: Belongings, headers: dict[str, str]
) -> httpx.Response:
    """Call a route without a body: what gets past the guard ends in 404, 415 or 422 at worst."""
    return await client.request(one.method.upper(), ids.put_into(one.path), headers=headers)


def essence(answer: httpx.Response) -> Any:
    """Return an answer without what names the request or the object that was asked for."""
    body = NAMED.sub("…", answer.text).replace(answer.headers["X-Request-Id"], "…")
    length = {"x-request-id", "content-length", "date"}
    headers = {name: text for name, text in answer.headers.items() if name not in length}
    return answer.status_code, body, headers


def test_every_route_says_what_it_needs() -> None:
    """In /v1 a handler without an operation, or open to all, fails the build."""
    for route in APP.routes:
        if not isinstance(route, HTTPRoute) or not route.path.startswith("/v1"):
            continue
        for handler in route.route_handlers:
            operation = handler.opt.get(OPERATION)
            if operation is None:
                assert set(handler.http_methods) == {"OPTIONS"}
                continue
            assert isinstance(operation, Operation)
            assert isinstance(operation.scope, Scope) or operation.scope is Access.ANY_KEY


async def test_no_valid_key_is_401(guarded: httpx.AsyncClient, store: Store) -> None:
    """Without a key, or with a broken, unknown, revoked or expired one, nobody gets in."""
    sent = {
        "none": {},
        "other scheme": {"Authorization": "Basic eDp5"},
        "malformed": bearer("reteval_nonsense"),
        "typo": bearer((await stored_key(store, Scope.ADMIN))[:-1] + "!"),
        "unknown": bearer(UNKNOWN),
        "revoked": bearer(await stored_key(store, Scope.ADMIN, revoked_ms=2_000)),
        "expired": bearer(await stored_key(store, Scope.ADMIN, expires_ms=A_SECOND_AGO_MS)),
    }
    admitted = []
    for one in ROUTES:
        for name, headers in sent.items():
            answer = await ask(guarded, one, nothing(), headers)
            said = (answer.status_code, answer.headers.get("WWW-Authenticate"))
            if said != (401, 'Bearer realm="reteval"') or answer.json()["code"] != "unauthorized":
                admitted.append((name_of(one), name))
    assert admitted == []


async def test_scope_alone_decides(guarded: httpx.AsyncClient, store: Store) -> None:
    """A key with one scope gets in where that is, or includes, what the route needs; else 403."""
    keys = {scope: bearer(await stored_key(store, scope)) for scope in Scope}
    wrong = []
    for one in ROUTES:
        for scope, key in keys.items():
            answer = await ask(guarded, one, nothing(), key)
            needed = one.operation.scope
            if needed is Access.ANY_KEY or needed in widen([scope]):
                fits = answer.status_code not in (401, 403)
            else:
                fits = (answer.status_code, answer.json()["code"]) == (403, "forbidden")
            if not fits:
                wrong.append((name_of(one), scope, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("one", OTHERS, ids=name_of)
async def test_route_outside_v1_needs_what_it_says(
    guarded: httpx.AsyncClient, store: Store, one: Described
) -> None:
    """Probes and documents are open to all; numbers of all teams to admins alone."""
    nobody = await ask(guarded, one, nothing(), {})
    if one.operation.scope is Access.OPEN:
        wrong = await ask(guarded, one, nothing(), bearer(UNKNOWN))
        assert (nobody.status_code, wrong.status_code) == (200, 200)
        return
    assert nobody.status_code == 401
    allowed = {}
    for scope in Scope:
        answer = await ask(guarded, one, nothing(), bearer(await stored_key(store, scope)))
        allowed[scope] = answer.status_code
    assert allowed == {scope: 200 if scope is one.operation.scope else 403 for scope in Scope}


@object_routes
async def test_foreign_is_like_missing(
    guarded: httpx.AsyncClient, store: Store, redis_url: str, one: Described
) -> None:
    """Ours and nobody's are one to another team: status, body, headers, work of the store."""
    ours = await own(guarded, store, one.path)
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    backend = guarded._transport.app.state.backend
    backend.keyring = Keyring(store.api_keys, clock=lambda: 0.0)
    backend.limiter = Limiter(store.rates, UNLIMITED, clock=count(step=10).__next__)  # asks always
    with redis.Redis.from_url(redis_url) as server:
        for _ in range(2):  # the first visit notes the use of the key, the second reads it anew
            await ask(guarded, one, nothing(), theirs)
        foreign, foreign_work = await counted(server, guarded, one, ours, theirs)
        missing, missing_work = await counted(server, guarded, one, nothing(), theirs)
    assert foreign.status_code in (404, 415)
    assert essence(foreign) == essence(missing)
    assert foreign_work == missing_work


async def counted(
    server: "redis.Redis[bytes]",
    client: httpx.AsyncClient,
    one: Described,
    ids: Belongings,
    headers: dict[str, str],
) -> tuple[httpx.Response, dict[str, int]]:
    """Return an answer, and how often each command of the store was called for it."""
    server.config_resetstat()
    answer = await ask(client, one, ids, headers)
    calls = server.info("commandstats")
    return answer, {
        name: figures["calls"]
        for name, figures in calls.items()
        if name not in ("cmdstat_info", "cmdstat_config|resetstat")
    }


REFERENCES = {
    "run of a set": ("/v1/runs", {"test_set": "{test_set}", "endpoint": {"url": ADDRESS}}),
    "run of an endpoint": ("/v1/runs", {"test_set": "mine", "endpoint": {"ref": "{ref}"}}),
    "comparison": ("/v1/comparisons", {"baseline": "{run_id}", "candidate": "{run_id}"}),
    "probe": ("/v1/probes", {"endpoint": {"url": ADDRESS}, "test_set": "{test_set}"}),
    "preview": ("/v1/adversarial/preview", {"test_set": "{test_set}"}),
    "leakage check": ("/v1/leakage-checks", {"test_set": "{test_set}"}),
    "leakage check with a run": (
        "/v1/leakage-checks",
        {"test_set": "mine", "run": "{run_id}"},
    ),
    "leakage check against a set": (
        "/v1/leakage-checks",
        {"test_set": "mine", "against": {"test_set": "{test_set}"}},
    ),
    "gate": ("/v1/gates/evaluate?run={run_id}", {"version": 1, "floors": {"mrr": 0.1}}),
    "power": ("/v1/power", {"runs": ["{run_id}", "{run_id}"]}),
    "grant of a run": ("/v1/grants", {"to": "*", "run": "{run_id}"}),
    "grant of a set": ("/v1/grants", {"to": "*", "test_set": "{test_set}"}),
}
QUERIES = (
    "/v1/latest?test_set={test_set}",
    "/v1/latest?label=shown",
    "/v1/badges/latest.json?label=shown",
    "/v1/badges/latest.svg?label=shown",
    "/v1/runs?test_set={test_set}",
    "/v1/history?test_set={test_set}",
    "/v1/history.jsonl?test_set={test_set}",
    "/v1/test-sets/{test_set}/unjudged",
    "/v1/test-sets/{test_set}/diff?against={test_set}",
    "/v1/test-sets/ended/diff?against={test_set}",
)


@pytest.mark.parametrize("name", REFERENCES)
async def test_foreign_reference_is_like_a_missing_one(
    guarded: httpx.AsyncClient, store: Store, name: str
) -> None:
    """An id of ours in another team's body says no more than one that nobody has."""
    ours = await own(guarded, store)
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    path, body = REFERENCES[name]
    answers = [
        await guarded.post(ids.put_into(path), json=fill(body, ids), headers=theirs)
        for ids in (ours, nothing())
    ]
    assert not answers[0].is_success
    assert essence(answers[0]) == essence(answers[1])


def fill(value: Any, ids: Belongings) -> Any:
    """Put ids into the texts of a body."""
    if isinstance(value, dict):
        return {name: fill(part, ids) for name, part in value.items()}
    if isinstance(value, list):
        return [fill(part, ids) for part in value]
    return ids.put_into(value) if isinstance(value, str) else value


@pytest.mark.parametrize("path", QUERIES)
async def test_foreign_filter_is_like_a_missing_one(
    guarded: httpx.AsyncClient, store: Store, path: str
) -> None:
    """An id of ours in another team's query finds as much as one that nobody has."""
    ours = await own(guarded, store)
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    answers = [await guarded.get(ids.put_into(path), headers=theirs) for ids in (ours, nothing())]
    assert essence(answers[0]) == essence(answers[1])


async def test_foreign_cursor_is_refused(guarded: httpx.AsyncClient, store: Store) -> None:
    """A cursor that one team was given is none to another."""
    await own(guarded, store)
    mine = bearer(await stored_key(store, *SCOPES))
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    page = (await guarded.get("/v1/runs?limit=1", headers=mine)).json()
    answer = await guarded.get(f"/v1/runs?cursor={page['next_cursor']}", headers=theirs)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


@shared_routes
@pytest.mark.parametrize("to", ["others", "*"])
@pytest.mark.parametrize("label", ["", "shown"])
async def test_granted_object_is_read(
    guarded: httpx.AsyncClient, store: Store, one: Described, to: str, label: str
) -> None:
    """By a grant to a team or to all, of the object or a run's label, it is read like one's own."""
    ours = await own(guarded, store, one.path)
    mine = bearer(await stored_key(store, *SCOPES))
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    kind = "run" if one.operation.shared == RUN else "test_set"
    given = {"label": label} if label else {kind: ours.of[one.operation.shared]}
    granted = await guarded.post("/v1/grants", json={"to": to, **given}, headers=mine)
    assert granted.status_code == 201
    path = one.path + GIVEN.get(one.path, "")
    answer = await guarded.get(ours.put_into(path), headers=theirs)
    opened = kind == "run" or not label  # a label is of runs
    assert answer.status_code == (200 if opened else 404), answer.text
    await guarded.delete(f"/v1/grants/{granted.json()['id']}", headers=mine)
    assert (await ask(guarded, one, ours, theirs)).status_code == 404


@unshared_routes
async def test_grant_opens_nothing_but_reading(
    guarded: httpx.AsyncClient, store: Store, one: Described
) -> None:
    """To whom everything was granted, routes that are not shared still answer 404."""
    ours = await own(guarded, store, one.path)
    mine = bearer(await stored_key(store, *SCOPES))
    theirs = bearer(await stored_key(store, *SCOPES, team="others"))
    for given in (
        {"run": ours.of["run_id"]},
        {"test_set": ours.of["test_set"]},
        {"label": "shown"},
    ):
        await guarded.post("/v1/grants", json={"to": "others", **given}, headers=mine)
    answer = await ask(guarded, one, ours, theirs)
    assert essence(answer) == essence(await ask(guarded, one, nothing(), theirs))


async def test_share_token_opens_reading_of_its_run(
    guarded: httpx.AsyncClient, store: Store
) -> None:
    """A link's token opens the routes that read its run, and is no key for any other."""
    ours = await own(guarded, store)
    mine = bearer(await stored_key(store, *SCOPES))
    made = await guarded.post(f"/v1/runs/{ours.of['run_id']}/links", json={}, headers=mine)
    token = made.json()["token"]
    wrong = []
    for one in ROUTES:
        given = {"format": "csv"} if one.path == EXPORT else {}
        for params, headers in (({"share": token}, {}), ({}, {"Reteval-Share": token})):
            answer = await guarded.request(
                one.method.upper(),
                ours.put_into(one.path),
                params={**given, **params},
                headers=headers,
            )
            if answer.status_code != (200 if opens_by_link(one.operation) else 401):
                wrong.append((name_of(one), answer.status_code))
    assert wrong == []


@run_routes
async def test_share_token_of_another_run_opens_nothing(
    guarded: httpx.AsyncClient, store: Store, one: Described
) -> None:
    """With a token, every other run of the same team is as if it were not there."""
    ours = await own(guarded, store, one.path)
    mine = bearer(await stored_key(store, *SCOPES))
    made = await guarded.post(f"/v1/runs/{ours.of['hidden']}/links", json={}, headers=mine)
    token = {"Reteval-Share": made.json()["token"]}
    foreign = await ask(guarded, one, ours, token)
    assert foreign.status_code == 404
    assert essence(foreign) == essence(await ask(guarded, one, nothing(), token))


@unshared_routes
async def test_admin_of_another_team_sees_no_object(
    guarded: httpx.AsyncClient, store: Store, one: Described
) -> None:
    """What a team owns is missing to another team's admin, too; only its keys are an admin's."""
    ours = await own(guarded, store, one.path)
    admin = bearer(await stored_key(store, Scope.ADMIN, team="others"))
    answer = await ask(guarded, one, ours, admin)
    if "{key_id}" in one.path:
        assert answer.is_success
    else:
        assert essence(answer) == essence(await ask(guarded, one, nothing(), admin))


def test_ids_of_the_matrix_are_of_every_kind() -> None:
    """Each path parameter of the app has an object in the matrix."""
    names = {name for one in ROUTES for name in re.findall(r"{(\w+)}", one.path)}
    assert names <= set(nothing().of)
    assert nothing().of[RUN] != nothing().of[RUN]
    assert new_id("run").startswith("run_")
