"""Keys and sharing by both clients: what is sent, what comes back, what may be repeated."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import msgspec
import pytest

from reteval import AsyncClient, Client, Retry
from reteval.access import Access
from reteval.async_access import AsyncAccess
from reteval.contract.api_keys import ApiKeyPage, ApiKeyRequest, NewApiKey, Scope
from reteval.contract.audit import AuditEvent, AuditPage, AuditRow
from reteval.contract.grants import Grant, GrantList, GrantRequest, Link, LinkList, NewLink
from reteval.contract.teams import Team, TeamList
from reteval.errors import ServerError, UnauthorizedError
from tests.unit.reteval.documents import URL, Handler, Script, a_run, answer, problem

TEAM = Team(id="search", name="Search", created_at="2026")
KEY = NewApiKey(
    id="key_1",
    team="search",
    name="ci",
    scopes=(Scope.RUNS_READ,),
    last4="abcd",
    created_at="2026-11-30T00:00:00.000Z",
    created_by="key_0",
    expires_at="2027-02-28T00:00:00.000Z",
    last_used_at=None,
    revoked_at=None,
    secret="reteval_s3cret",  # noqa: S106 - made up
)
GRANT = Grant(
    id="gr_1",
    team="search",
    to="*",
    run=None,
    test_set=None,
    label="live",
    created_at="2026-11-30T00:00:00.000Z",
    created_by="key_1",
)
LINK = NewLink(
    id="lnk_1",
    run="run_1",
    created_at="2026-11-30T00:00:00.000Z",
    created_by="key_1",
    expires_at="2026-12-07T00:00:00.000Z",
    token="share_t",  # noqa: S106 - made up
    url="/v1/runs/run_1/results?share=share_t",
)
EVENT = AuditRow(
    id="1-0",
    at="2026-11-30T00:00:00.000Z",
    event=AuditEvent.GRANT_USED,
    team="others",
    key="key_2",
    target="run_1",
    ip="192.0.2.7",
    request_id="r",
    via="gr_1",
)


def says(document: object) -> Handler:
    """Return a service that answers a document."""
    return lambda _: answer(document)


def says_nothing(_: httpx.Request) -> httpx.Response:
    """Answer that it is done."""
    return httpx.Response(204)


Call = Callable[[Any], Any]
CALLS: dict[str, tuple[Call, Handler, str, str, Any]] = {
    "create_team": (
        lambda c: c.create_team({"id": "search", "name": "Search"}),
        says(TEAM),
        "POST /v1/teams",
        '{"id":"search","name":"Search"}',
        TEAM,
    ),
    "teams": (lambda c: c.teams(), says(TeamList(items=(TEAM,))), "GET /v1/teams", "", (TEAM,)),
    "create_key": (
        lambda c: c.create_key(ApiKeyRequest(name="ci", scopes=[Scope.RUNS_READ])),
        says(KEY),
        "POST /v1/keys",
        '{"name":"ci","scopes":["runs:read"],"expires_in_days":90,"team":null}',
        KEY,
    ),
    "rotate_key": (
        lambda c: c.rotate_key("key_1", overlap_hours=2),
        says(KEY),
        "POST /v1/keys/key_1/rotate?overlap_hours=2",
        "",
        KEY,
    ),
    "revoke_key": (
        lambda c: c.revoke_key("key_1"),
        says_nothing,
        "DELETE /v1/keys/key_1",
        "",
        None,
    ),
    "grant": (
        lambda c: c.grant(GrantRequest(to="*", label="live")),
        says(GRANT),
        "POST /v1/grants",
        '{"to":"*","run":null,"test_set":null,"label":"live"}',
        GRANT,
    ),
    "grants": (
        lambda c: c.grants(received=True),
        says(GrantList(items=(GRANT,))),
        "GET /v1/grants?received=true",
        "",
        (GRANT,),
    ),
    "delete_grant": (
        lambda c: c.delete_grant("gr_1"),
        says_nothing,
        "DELETE /v1/grants/gr_1",
        "",
        None,
    ),
    "share": (
        lambda c: c.share("run_1", days=3),
        says(LINK),
        "POST /v1/runs/run_1/links",
        '{"expires_in_days":3}',
        LINK,
    ),
    "links": (
        lambda c: c.links("run_1"),
        says(LinkList(items=(LINK,))),
        "GET /v1/runs/run_1/links",
        "",
        (
            Link(
                id=LINK.id,
                run=LINK.run,
                created_at=LINK.created_at,
                created_by=LINK.created_by,
                expires_at=LINK.expires_at,
            ),
        ),
    ),
    "close_link": (
        lambda c: c.close_link("run_1", "lnk_1"),
        says_nothing,
        "DELETE /v1/runs/run_1/links/lnk_1",
        "",
        None,
    ),
    "latest": (
        lambda c: c.latest(label="live", branch="main", team="search"),
        says(a_run()),
        "GET /v1/latest?label=live&branch=main&team=search",
        "",
        a_run(),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_call_is_sent_and_read(kind: str, name: str) -> None:
    """Both clients send the same request, with the key in its header, and read the same answer."""
    call, reply, line, body, result = CALLS[name]
    service = Script([reply])
    assert await ask(kind, service, call) == result
    sent = service.requests[0]
    assert f"{sent.method} {sent.url.raw_path.decode()}" == line
    assert sent.content.decode() == body
    assert sent.headers["authorization"] == "Bearer reteval_k"


async def ask(kind: str, service: Script, call: Call, retry: Retry | None = None) -> Any:
    """Make a call by one of the clients; a list is read to its end."""
    retry = retry or Retry(pauses_s=())
    if kind == "sync":
        http = httpx.Client(transport=httpx.MockTransport(service))
        with Client(URL, "reteval_k", http=http, retry=retry, sleep=lambda _: None) as client:
            result = call(client)
            return list(result) if isinstance(result, Iterator) else result

    async def rest(_: float) -> None:
        return None

    waiting = httpx.AsyncClient(transport=httpx.MockTransport(service.answer_async))
    opened = AsyncClient(URL, "reteval_k", http=waiting, retry=retry, sleep=rest)
    async with opened as client_:
        result = call(client_)
        if isinstance(result, AsyncIterator):
            return [row async for row in result]
        return await result


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_lists_go_from_page_to_page(kind: str) -> None:
    """Keys and events are iterated over all pages."""
    pages = [
        answer(ApiKeyPage(items=(KEY,), next_cursor="c")),
        answer(ApiKeyPage(items=(KEY,))),
    ]
    service = Script(pages)
    assert len(await ask(kind, service, lambda c: c.api_keys(team="search", limit=1))) == 2
    assert service.requests[1].url.query == b"team=search&limit=1&cursor=c"
    service = Script([answer(AuditPage(items=(EVENT,)))])
    assert await ask(kind, service, lambda c: c.audit(log="access")) == [EVENT]
    assert service.requests[0].url.query == b"log=access"


@pytest.mark.parametrize(
    ("call", "keyed"),
    [
        (CALLS["create_key"][0], True),
        (CALLS["rotate_key"][0], True),
        (CALLS["share"][0], True),
        (CALLS["create_team"][0], True),
        (CALLS["grant"][0], True),
        (CALLS["revoke_key"][0], False),
    ],
)
async def test_what_makes_something_is_repeated_under_one_key(call: Call, *, keyed: bool) -> None:
    """A lost answer leaves no second key or link behind; what is the same twice needs no key."""
    service = Script([problem(503, "store_unavailable")] * 2)
    with pytest.raises(ServerError):
        await ask("sync", service, call, Retry(pauses_s=(0.0,)))
    sent = [request.headers.get("idempotency-key") for request in service.requests]
    assert len(sent) == 2
    assert len(set(sent)) == 1
    assert (sent[0] is not None) is keyed


async def test_missing_scope_is_an_error_of_access() -> None:
    """403 is told apart by its message, and is the same class as 401."""
    service = Script([problem(403, "forbidden", detail="The key lacks the scope 'keys:admin'.")])
    with pytest.raises(UnauthorizedError, match="keys:admin"):
        await ask("sync", service, CALLS["create_key"][0])


def test_both_clients_have_the_same_methods() -> None:
    """A method of one is a method of the other, with the same arguments and words."""
    names = [name for name in vars(Access) if not name.startswith("_")]
    assert names == [name for name in vars(AsyncAccess) if not name.startswith("_")]
    for name in names:
        one, other = getattr(Access, name), getattr(AsyncAccess, name)
        assert inspect.signature(one).parameters == inspect.signature(other).parameters
        assert one.__doc__ == other.__doc__


def test_secret_is_not_shown_by_repr_of_a_listed_key() -> None:
    """Only the answer that made a key knows its secret."""
    page = msgspec.json.decode(msgspec.json.encode(ApiKeyPage(items=(KEY,))), type=ApiKeyPage)
    assert "s3cret" not in repr(page)
