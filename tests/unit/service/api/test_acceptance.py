import httpx
import pytest
from litestar.routes import HTTPRoute

from service.app import create_app
from service.settings import Settings

ROUTES = [
    route for route in create_app(Settings.from_env({})).routes if isinstance(route, HTTPRoute)
]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path_format)
async def test_every_route_names_its_methods(client: httpx.AsyncClient, route: HTTPRoute) -> None:
    """OPTIONS and the refusal of another method list the same methods, HEAD beside GET."""
    path = route.path_format.replace("{", "").replace("}", "")
    asked = await client.options(path)
    refused = await client.request("TRACE", path)
    assert (asked.status_code, refused.status_code) == (204, 405)
    assert refused.json()["code"] == "method_not_allowed"
    assert asked.headers["Allow"] == refused.headers["Allow"]
    allowed = set(asked.headers["Allow"].split(", "))
    assert allowed == set(route.methods)
    assert ("GET" in allowed) == ("HEAD" in allowed)


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("application/*", 200),
        ("text/html, application/json;q=0.1", 200),
        ("text/html", 406),
        ("no media type", 406),
    ],
)
async def test_unreadable_form_is_not_made(
    client: httpx.AsyncClient, accept: str, status: int
) -> None:
    """406 names the forms there are; a list that holds one of them is answered."""
    answer = await client.get("/v1/runs", headers={"Accept": accept})
    assert answer.status_code == status
    if status == 406:
        assert answer.json()["code"] == "not_acceptable"
        assert "application/json" in answer.json()["detail"]


async def test_every_answer_of_a_route_is_offered(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """A route of several forms accepts each by name, lines by their other names, too."""
    path = f"/v1/runs/{ended_run}/export?format=jsonl"
    for accept in ("application/x-ndjson", "application/jsonl", "application/zip"):
        assert (await client.get(path, headers={"Accept": accept})).is_success
