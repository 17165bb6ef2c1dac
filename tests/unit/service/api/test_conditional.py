import httpx
import pytest

from service.api.conditional import matches
from tests.unit.service.api.ended import run_body


@pytest.mark.parametrize(
    ("sent", "expected"),
    [("", False), ("*", True), ('"a"', True), ('W/"a"', True), ('"b", "a"', True), ('"b"', False)],
)
def test_entity_tags_are_compared_weakly(sent: str, expected: object) -> None:
    """A list, a weak tag and the star match; no header does not."""
    assert matches(sent, '"a"') is expected


@pytest.mark.parametrize(
    "part", ["", "/results", "/queries?limit=2", "/outcomes?limit=3", "/variants", "/queries"]
)
async def test_ended_run_is_confirmed_not_sent_again(
    client: httpx.AsyncClient, ended_run: str, part: str
) -> None:
    """Everything of an ended run has a strong tag, may be kept, and is confirmed by 304."""
    path = f"/v1/runs/{ended_run}{part}"
    full = await client.get(path)
    tag = full.headers["ETag"]
    assert tag.startswith('"')
    assert full.headers["Cache-Control"] == "private, no-cache"
    assert full.headers["Vary"] == "Authorization"
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        kept = await client.get(path, headers={"If-None-Match": sent})
        assert (kept.status_code, kept.content, kept.headers["ETag"]) == (304, b"", tag)
    changed = await client.get(path, headers={"If-None-Match": '"other"'})
    assert (changed.status_code, changed.content) == (200, full.content)
    head = await client.head(path, headers={"If-None-Match": tag})
    assert (head.status_code, head.content) == (304, b"")


async def test_tag_of_results_is_that_of_its_bytes(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """The stored digest is the digest of what is sent, so that any cache may check it."""
    import hashlib

    full = await client.get(f"/v1/runs/{ended_run}/results")
    assert full.headers["ETag"] == f'"{hashlib.sha256(full.content).hexdigest()}"'


async def test_active_run_is_not_kept(client: httpx.AsyncClient, ended_run: str) -> None:
    """A run that goes on has no tag, may not be stored, and says when to ask again."""
    assert ended_run
    made = await client.post("/v1/runs", json=run_body())
    state = await client.get(made.headers["Location"], headers={"If-None-Match": "*"})
    assert (state.status_code, "ETag" in state.headers) == (200, False)
    assert (state.headers["Cache-Control"], state.headers["Retry-After"]) == ("no-store", "1")
    early = await client.get(f"{made.headers['Location']}/results", headers={"If-None-Match": "*"})
    assert (early.status_code, early.json()["code"]) == (409, "not_terminal")


async def test_test_set_is_confirmed(client: httpx.AsyncClient, ended_run: str) -> None:
    """Test sets never change, nor do the pages of their queries."""
    assert ended_run
    for path in ("/v1/test-sets/ended", "/v1/test-sets/ended/queries?limit=2"):
        tag = (await client.get(path)).headers["ETag"]
        assert (await client.get(path, headers={"If-None-Match": tag})).status_code == 304
