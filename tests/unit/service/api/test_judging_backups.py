"""Backups of judgings, and of who looked at a hold-out: what comes back, and what is kept."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import redis

from examples.judge.server import serve_judge
from service.store.fragments import Closing, Dropped, Opening, Piece
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.endpoint import serve_answers
from tests.factories import stored_key
from tests.judging import judge, list_pairs, make, model, oracle, pool, search
from tests.unit.service.api.conftest import Opens
from tests.unit.service.api.ended import end_run, run_body
from tests.unit.service.api.teams import bearer
from tests.unit.service.api.test_backups import back_up, flush, opened, rehash, restore, sealed
from tests.unit.service.api.test_limits import KEYS, WORKER

VOTES = [{"query_id": "q1", "doc_id": f"d1{n}", "grade": n, "rater": "ada"} for n in range(2)]


@pytest.fixture
async def judging(client: httpx.AsyncClient, redis_url: str) -> str:
    """The path of a judging that a model judged and a person voted in."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    with serve_judge(oracle()) as fake:
        await judge(client, path, redis_url, model=model(fake.url))
    await client.post(f"{path}/votes", json={"votes": VOTES})
    return path


async def seen(client: httpx.AsyncClient, path: str) -> dict[str, Any]:
    """What can be read of a judging, apart from its last job, which is in no backup."""
    head = (await client.get(path)).json()
    review = (await client.get(f"{path}/review")).json()
    head.pop("job", None)
    return {"head": head, "pairs": await list_pairs(client, path), "review": review}


async def vote(client: httpx.AsyncClient, path: str, grade: int) -> httpx.Response:
    """Vote on one more document."""
    votes = [{"query_id": "q2", "doc_id": "d20", "grade": grade, "rater": "bob"}]
    return await client.post(f"{path}/votes", json={"votes": votes})


async def test_judging_comes_back_and_goes_on(
    client: httpx.AsyncClient, redis_url: str, judging: str
) -> None:
    """Pool, votes and queue are what they were; people vote on, and it is frozen as it would be."""
    judging_id = judging.rpartition("/")[2]
    file = await back_up(client, judgings=[judging_id])
    before = await seen(client, judging)
    flush(redis_url)
    made = (await restore(client, file)).json()
    assert made["restored"] == [before["head"]["test_set"]["id"], judging_id]
    assert await seen(client, judging) == before
    assert (await restore(client, file)).json()["skipped"] == made["restored"]
    assert (await vote(client, judging, 2)).json() == {"written": 1, "reviewed": 3}
    frozen = await client.post(f"{judging}/freeze", json={"allow_unjudged": True})
    assert frozen.status_code == 200, frozen.text
    whole = opened(await back_up(client, all=True))
    closed = [one.id for one in whole if isinstance(one, Closing)]
    assert closed == [frozen.json()["frozen"]["id"], *made["restored"]]


async def test_judging_that_was_gone_on_with_is_kept(
    client: httpx.AsyncClient, judging: str
) -> None:
    """A vote since the backup stays; what follows in the file is restored all the same."""
    judging_id = judging.rpartition("/")[2]
    file = await back_up(client, judgings=[judging_id])
    await vote(client, judging, 2)
    before = await seen(client, judging)
    made = (await restore(client, file)).json()
    assert (made["restored"], made["kept"]) == ([], [judging_id])
    assert await seen(client, judging) == before


async def test_judging_at_work_is_in_no_backup(client: httpx.AsyncClient) -> None:
    """Asked for by name it is refused; `all` goes by it."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await client.post(f"{path}/pool")
    judging_id = path.rpartition("/")[2]
    busy = await client.post("/v1/backups", json={"judgings": [judging_id]})
    assert (busy.status_code, busy.json()["code"]) == (409, "judging_busy")
    ids = [one.id for one in opened(await back_up(client, all=True)) if isinstance(one, Closing)]
    assert [one[:3] for one in ids] == ["ts_"]


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        ({"state": b"judging"}, None),
        ({"state": b"odd"}, None),
        ({"spec": b"{}"}, None),
        ({"sealed": b"secret"}, None),
        ({}, Piece("votes", {"q1": b'{"doc_id": 3}\n'})),
        ({}, Piece("voted", {"q1": b"x"})),
    ],
)
async def test_forged_judging_is_refused(
    client: httpx.AsyncClient,
    redis_url: str,
    head: dict[str, bytes],
    piece: Piece | None,
) -> None:
    """What is no judging of this service is not made one, and nothing of it stays."""
    path = await make(client, "http://127.0.0.1:9/search")
    fragments = opened(await back_up(client, judgings=[path.rpartition("/")[2]]))
    last = fragments.pop()
    opening = fragments.pop()
    fragments.append(Opening(opening.id, opening.head | head, opening.position))
    fragments += [piece] * (piece is not None)
    flush(redis_url)
    refused = await restore(client, sealed(rehash([*fragments, last])))
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed_backup")
    with redis.Redis.from_url(redis_url) as connection:
        assert not list(connection.scan_iter("t:default:jdg:*"))
        assert not list(connection.scan_iter("*:staging:*"))


async def test_judging_beyond_the_quota_is_refused(
    client: httpx.AsyncClient, redis_url: str, store: Store, opens: Opens
) -> None:
    """What a team may not keep is not restored behind its back."""
    path = await make(client, "http://127.0.0.1:9/search")
    fragments = opened(await back_up(client, judgings=[path.rpartition("/")[2]]))
    opening = fragments[-2]
    fragments[-2] = Opening(opening.id, opening.head | {"bytes": b"9000000"}, opening.position)
    flush(redis_url)
    mine = bearer(await stored_key(store, *WORKER))
    async with opens(redis_url, **KEYS, RETEVAL_QUOTA_STORED_BYTES="1000000") as bounded:
        bounded.headers.update(mine)
        refused = await restore(bounded, sealed(rehash(fragments)))
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


async def test_judging_that_changes_while_it_is_read_is_read_again(
    client: httpx.AsyncClient, redis_url: str, store: Store, judging: str
) -> None:
    """A job that began meanwhile voids what was read; votes of people only add to it."""
    judging_id = judging.rpartition("/")[2]

    async def read(change: Any) -> list[Any]:
        found: list[Any] = []
        fragments: AsyncIterator[Any] = store.copies.read(DEFAULT_TENANT, judging_id)
        async for fragment in fragments:
            found.append(fragment)
            if len(found) == 2:
                await change()
        return found

    async def begin_job() -> None:
        with redis.Redis.from_url(redis_url) as connection:
            connection.hset(f"t:default:jdg:{judging_id}", "job", "jst_other")

    assert isinstance((await read(lambda: vote(client, judging, 2)))[-1], Closing)
    assert (await read(begin_job))[-1] == Dropped(judging_id)


async def test_looks_at_a_holdout_come_back(
    client: httpx.AsyncClient, redis_url: str, store: Store, ended_run: str
) -> None:
    """All looks count after a restore, also those of runs that were deleted before the backup."""
    gone = (await client.post("/v1/runs", json=run_body())).json()["id"]
    await end_run(store, gone)
    for run_id in (gone, ended_run):
        await store.looks.note(DEFAULT_TENANT, run_id, "digest")
    await client.delete(f"/v1/runs/{gone}")
    before = (await client.get(f"/v1/runs/{ended_run}")).json()
    file = await back_up(client, runs=[ended_run])
    flush(redis_url)
    for _ in range(2):
        assert (await restore(client, file)).status_code == 200
    assert (await client.get(f"/v1/runs/{ended_run}")).json() == before
    assert (await client.get("/v1/runs")).json()["items"][0]["holdout_looks"] == {
        "look": 2,
        "total": 2,
    }
    assert (await store.looks.note(DEFAULT_TENANT, "run_third", "digest")).look == 3
