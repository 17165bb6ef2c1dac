"""Backups over the API: what is in them, and what is refused when they come back."""

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import msgspec
import pytest
import redis

from reteval.contract.backups import MEDIA, FrameReader, FrameWriter
from service.core.backups import Fragment, Header
from service.store import chunks
from service.store.fragments import Closing, Digest, Dropped, Opening, Piece
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

Change = Callable[[list[Any]], list[Any]]


async def back_up(client: httpx.AsyncClient, **asked: Any) -> bytes:
    """Download a backup."""
    answer = await client.post("/v1/backups", json=asked)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, MEDIA)
    return answer.content


async def restore(client: httpx.AsyncClient, file: bytes) -> httpx.Response:
    """Upload a backup."""
    return await client.post("/v1/restores", content=file, headers={"Content-Type": MEDIA})


def opened(file: bytes) -> list[Any]:
    """Return the fragments of a file."""
    return [chunks.unpack(payload, Fragment) for payload in FrameReader().feed(file)]


def sealed(fragments: Sequence[Any]) -> bytes:
    """Return a file of fragments."""
    frames = FrameWriter()
    packed = [frames.frame(chunks.pack(fragment)) for fragment in fragments]
    return b"".join([frames.begin(), *packed, frames.end()])


def flush(redis_url: str) -> None:
    """Lose everything."""
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushall()


async def test_run_brings_its_test_set_and_comes_back(
    client: httpx.AsyncClient, ended_run: str, redis_url: str
) -> None:
    """What a named run needs is in the file, once; sent again, all of it is there already."""
    file = await back_up(client, runs=[ended_run, ended_run])
    report = (await client.get(f"/v1/runs/{ended_run}/results")).content
    flush(redis_url)
    made = (await restore(client, file)).json()
    assert made["restored"][1:] == [ended_run]
    assert made["restored"][0].startswith("ts_")
    assert (await client.get(f"/v1/runs/{ended_run}/results")).content == report
    again = (await restore(client, file)).json()
    assert again == {"restored": [], "skipped": made["restored"], "kept": []}
    log = (await client.get("/v1/audit")).json()["items"]
    assert [row["event"] for row in log] == ["backup_restored", "backup_restored"]


async def test_all_takes_every_set_and_ended_run(client: httpx.AsyncClient, ended_run: str) -> None:
    """Runs under way are left out; a set without runs is not."""
    await client.post("/v1/test-sets", json={**TEST_SET, "name": "alone"})
    waiting = (await client.post("/v1/runs", json=run_body())).json()["id"]
    fragments = opened(await back_up(client, all=True))
    ids = [fragment.id for fragment in fragments if isinstance(fragment, Closing)]
    assert len(ids) == 3
    assert ids[-1] == ended_run
    assert waiting not in ids


async def test_restored_set_goes_on_where_it_was(client: httpx.AsyncClient, redis_url: str) -> None:
    """The same content answers the restored set, other content is its next version."""
    await client.post("/v1/test-sets", json={**TEST_SET, "queries": TEST_SET["queries"][:1]})
    second = (await client.post("/v1/test-sets", json=TEST_SET)).json()
    file = await back_up(client, test_sets=["ended"])
    flush(redis_url)
    await restore(client, file)
    assert (await client.get("/v1/test-sets/ended")).json() == second
    assert (await client.post("/v1/test-sets", json=TEST_SET)).json()["id"] == second["id"]
    other = {**TEST_SET, "queries": TEST_SET["queries"][:2]}
    assert (await client.post("/v1/test-sets", json=other)).json()["version"] == 3


async def test_restored_run_is_young(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, store: Store
) -> None:
    """A run from long ago is not deleted by retention as soon as it is back."""
    file = await back_up(client, runs=[ended_run])
    flush(redis_url)
    fragments = opened(file)
    opening = next(f for f in fragments if isinstance(f, Opening) and f.id == ended_run)
    opening.head["finished_ms"] = opening.head["created_ms"] = b"1000"
    old = msgspec.structs.replace(opening, position="1000000")
    fragments[fragments.index(opening)] = old
    assert (await restore(client, sealed(rehash(fragments)))).status_code == 200
    assert await store.retention.sweep(days=1) == []
    await client.get(f"/v1/runs/{ended_run}/results")


def rehash(fragments: list[Any]) -> list[Any]:
    """Make the digests fit what is there, as a forger would."""
    made: list[Any] = []
    digest: Digest | None = None
    for fragment in fragments:
        if isinstance(fragment, Opening):
            digest = Digest(fragment)
        elif isinstance(fragment, Piece) and digest:
            digest.add(fragment)
        if isinstance(fragment, Closing) and digest:
            fragment = Closing(fragment.id, digest.hex())  # noqa: PLW2901 - the one that fits
        made.append(fragment)
    return made


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"runs": ["run_none"]}, 404, "not_found"),
        ({"test_sets": ["none"]}, 404, "not_found"),
        ({"every": True}, 422, "invalid"),
    ],
)
async def test_backup_of_what_is_not_there_is_refused(
    client: httpx.AsyncClient, asked: dict[str, Any], status: int, code: str
) -> None:
    """Everything named is looked up before the first byte is sent."""
    refused = await client.post("/v1/backups", json=asked)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


async def test_run_under_way_cannot_be_backed_up(client: httpx.AsyncClient) -> None:
    """A run is saved whole or not at all."""
    await client.post("/v1/test-sets", json=TEST_SET)
    run_id = (await client.post("/v1/runs", json=run_body())).json()["id"]
    refused = await client.post("/v1/backups", json={"runs": [run_id]})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_terminal")


async def test_damaged_files_leave_nothing_half_restored(
    client: httpx.AsyncClient, ended_run: str, redis_url: str
) -> None:
    """Wherever a file is cut or changed, objects are whole or absent, and no staging stays."""
    file = await back_up(client, runs=[ended_run])
    with redis.Redis.from_url(redis_url) as connection:
        whole = len(list(connection.scan_iter(f"t:default:run:{ended_run}*")))
    for place in range(0, len(file), max(1, len(file) // 40)):
        flush(redis_url)
        for broken in (file[:place], file[:place] + bytes([file[place] ^ 1]) + file[place + 1 :]):
            refused = await restore(client, broken)
            assert (refused.status_code, refused.json()["code"]) == (400, "malformed_backup")
        with redis.Redis.from_url(redis_url) as connection:
            assert not list(connection.scan_iter("*:staging:*"))
            stored = len(list(connection.scan_iter(f"t:default:run:{ended_run}*")))
        assert stored in (0, whole)
    assert (await restore(client, file)).status_code == 200
    assert (await client.get(f"/v1/runs/{ended_run}/results")).status_code == 200


def without_set(fragments: list[Any]) -> list[Any]:
    """Leave the test set out."""
    start = next(n for n, f in enumerate(fragments) if isinstance(f, Opening) and "run_" in f.id)
    return [fragments[0], *fragments[start:]]


def without_header(fragments: list[Any]) -> list[Any]:
    """Leave the header out."""
    return fragments[1:]


def twice(fragments: list[Any]) -> list[Any]:
    """Begin an object within another."""
    return [*fragments[:2], *fragments[1:]]


def forged_report(fragments: list[Any]) -> list[Any]:
    """Change a report and make the checksums fit."""
    return rehash([Piece("report", {"": b"{}"}) if is_part(f, "report") else f for f in fragments])


def forged_queries(fragments: list[Any]) -> list[Any]:
    """Leave a query out and make the checksums fit."""
    less = chunks.pack([{"query": "other", "id": "q1"}])
    return rehash(
        [Piece("queries", {"0": less}) if is_part(f, "queries") else f for f in fragments]
    )


def unreadable_queries(fragments: list[Any]) -> list[Any]:
    """Put noise in place of queries."""
    return rehash(
        [Piece("queries", {"0": b"noise"}) if is_part(f, "queries") else f for f in fragments]
    )


def foreign_part(fragments: list[Any]) -> list[Any]:
    """Add a part that no object has, such as secrets."""
    places = [n for n, f in enumerate(fragments) if is_part(f, "report")]
    secret = Piece("secrets", {"": b"x"})
    return rehash([*fragments[: places[0]], secret, *fragments[places[0] :]])


def odd_id(fragments: list[Any]) -> list[Any]:
    """Name an object so that it would be written elsewhere."""
    return rename(fragments, "run_x:secrets")


def other_kind(fragments: list[Any]) -> list[Any]:
    """Call a run by an id that its record does not have."""
    return rename(fragments, "run_x")


def rename(fragments: list[Any], name: str) -> list[Any]:
    """Give the run another id."""
    return [
        msgspec.structs.replace(f, id=name)
        if isinstance(f, Opening | Closing) and f.id.startswith("run_")
        else f
        for f in fragments
    ]


def changed_head(**fields: bytes) -> Change:
    """Return a change of the run's record."""

    def change(fragments: list[Any]) -> list[Any]:
        made = []
        for fragment in fragments:
            if isinstance(fragment, Opening) and fragment.id.startswith("run_"):
                made.append(Opening(fragment.id, fragment.head | fields, fragment.position))
            else:
                made.append(fragment)
        return rehash(made)

    return change


def is_part(fragment: Any, part: str) -> bool:
    """Whether a fragment is a piece of a part."""
    return isinstance(fragment, Piece) and fragment.part == part


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (without_set, 404),
        (without_header, 400),
        (twice, 400),
        (forged_report, 400),
        (forged_queries, 400),
        (unreadable_queries, 400),
        (foreign_part, 400),
        (odd_id, 400),
        (other_kind, 400),
        (changed_head(status=b"running"), 400),
        (changed_head(status=b"odd"), 400),
        (changed_head(spec=b"{}"), 400),
        (changed_head(lease_owner=b"me"), 400),
        (changed_head(bytes=b"many"), 400),
        (lambda fragments: [*fragments[:1], Dropped("run_x")], 400),
    ],
)
async def test_forged_files_are_refused(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, change: Change, status: int
) -> None:
    """A file whose checksums fit still has to be a backup of this service; no run comes of it."""
    fragments = opened(await back_up(client, runs=[ended_run]))
    flush(redis_url)
    refused = await restore(client, sealed(change(fragments)))
    assert refused.status_code == status, refused.text
    with redis.Redis.from_url(redis_url) as connection:
        assert not list(connection.scan_iter("t:default:run:*"))
        assert not list(connection.scan_iter("*:staging:*"))


async def test_other_content_under_an_id_is_refused(
    client: httpx.AsyncClient, ended_run: str
) -> None:
    """What is here is never overwritten."""
    fragments = opened(await back_up(client, runs=[ended_run]))
    refused = await restore(client, sealed(changed_head(created_ms=b"5")(fragments)))
    assert (refused.status_code, refused.json()["code"]) == (409, "restore_conflict")


async def test_version_of_another_set_is_refused(client: httpx.AsyncClient, redis_url: str) -> None:
    """Two sets cannot be the same version of a name."""
    await client.post("/v1/test-sets", json=TEST_SET)
    file = await back_up(client, test_sets=["ended"])
    flush(redis_url)
    other = {**TEST_SET, "queries": TEST_SET["queries"][:1]}
    await client.post("/v1/test-sets", json=other)
    refused = await restore(client, file)
    assert (refused.status_code, refused.json()["code"]) == (409, "restore_conflict")
    assert "name and version" in refused.json()["detail"]


async def test_run_under_way_is_not_replaced(
    client: httpx.AsyncClient, ended_run: str, redis_url: str
) -> None:
    """A run of that id that has not ended is no place to restore to."""
    file = await back_up(client, runs=[ended_run])
    with redis.Redis.from_url(redis_url) as connection:
        connection.hdel(f"t:default:run:{ended_run}", "finished_ms")
    refused = await restore(client, file)
    assert (refused.status_code, refused.json()["code"]) == (409, "restore_conflict")


async def test_run_of_other_content_than_the_set_here_is_refused(
    client: httpx.AsyncClient, ended_run: str, redis_url: str
) -> None:
    """A run is only restored beside exactly the test set it was scored on."""
    fragments = opened(await back_up(client, runs=[ended_run]))
    flush(redis_url)
    opening = next(f for f in fragments if isinstance(f, Opening) and f.id == ended_run)
    spec = msgspec.json.decode(opening.head["spec"])
    spec["test_set"]["hash"] = "sha256:other"
    forged = changed_head(spec=msgspec.json.encode(spec))(fragments)
    refused = await restore(client, sealed(forged))
    assert (refused.status_code, refused.json()["code"]) == (409, "restore_conflict")


async def test_object_deleted_while_it_was_read_is_dropped(
    client: httpx.AsyncClient, ended_run: str, redis_url: str
) -> None:
    """A run that vanished during its backup is not restored, and what follows is."""
    fragments = opened(await back_up(client, runs=[ended_run]))
    flush(redis_url)
    fragments[-1] = Dropped(ended_run)
    made = (await restore(client, sealed(fragments))).json()
    assert [name[:3] for name in made["restored"]] == ["ts_"]
    assert made["skipped"] == []


async def test_backup_tells_what_was_deleted_meanwhile(ended_run: str, store: Store) -> None:
    """Reading an object that is deleted under way ends with the word to forget it."""
    found = []
    async for fragment in store.copies.read(DEFAULT_TENANT, ended_run):
        found.append(fragment)
        if len(found) == 2:
            await store.runs.delete(DEFAULT_TENANT, ended_run)
    assert found[-1] == Dropped(ended_run)


async def test_restore_that_does_not_fit_is_refused(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, opens: Opens
) -> None:
    """An object the store has no memory for is refused before it is staged."""
    file = await back_up(client, runs=[ended_run])
    flush(redis_url)
    async with opens(redis_url, RETEVAL_STORE_BYTES="1") as full:
        refused = await restore(full, file)
    assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
    async with opens(redis_url, RETEVAL_STORE_BYTES="1000000000") as roomy:
        assert (await restore(roomy, file)).status_code == 200


async def test_large_parts_come_in_pieces(client: httpx.AsyncClient, redis_url: str) -> None:
    """A set of more than ten chunks comes back in order, whatever pieces it was cut into."""
    queries = [{"query": f"text {n:05} {'x' * 40}", "relevant_ids": ["d"]} for n in range(6_000)]
    made = (await client.post("/v1/test-sets", json={"name": "large", "queries": queries})).json()
    file = await back_up(client, test_sets=["large"])
    flush(redis_url)
    assert (await restore(client, file)).status_code == 200
    assert (await client.get("/v1/test-sets/large")).json() == made
    export = await client.get("/v1/test-sets/large/export")
    assert [msgspec.json.decode(line)["query"] for line in export.content.splitlines()] == [
        query["query"] for query in queries
    ]


async def test_header_says_when_and_by_what(client: httpx.AsyncClient, ended_run: str) -> None:
    """The first frame names the release that made the file."""
    header = opened(await back_up(client, runs=[ended_run]))[0]
    assert isinstance(header, Header)
    assert header.made_at.endswith("Z")
    assert header.code_version


async def test_second_run_of_a_restored_set(
    client: httpx.AsyncClient, ended_run: str, redis_url: str, store: Store
) -> None:
    """After a restore the service works on as before: a new run of the set ends and lists."""
    file = await back_up(client, all=True)
    flush(redis_url)
    await restore(client, file)
    made = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, made)
    listed = (await client.get("/v1/runs?test_set=ended")).json()["items"]
    assert [run["id"] for run in listed] == [made, ended_run]
