"""Every step of a judging, repeated under its idempotency key."""

import asyncio
from typing import Any

import httpx
import pytest

from service.api.idempotency import HEADER as KEY
from tests.endpoint import serve_answers
from tests.judging import make, model, pool, search
from tests.unit.service.api.stored import count_stored, snapshot
from tests.unit.service.api.teams import ADDRESS
from tests.unit.service.api.test_idempotency import POSTS, STEPS

JUDGE = {"model": model(ADDRESS)}
BODIES: dict[str, Any] = {
    "poolJudging": None,
    "judgeJudging": JUDGE,
    "estimateJudge": JUDGE,
    "tryJudge": JUDGE,
    "measureJudging": None,
    "scoreJudge": JUDGE,
    "createVotes": {"votes": [{"query_id": "q1", "doc_id": "d10", "grade": 1}], "rater": "ada"},
    "freezeJudging": {"allow_unjudged": True},
}


@pytest.mark.parametrize("name", STEPS)
async def test_step_is_done_once(client: httpx.AsyncClient, redis_url: str, name: str) -> None:
    """Twenty at once do it once, and who asks again is answered what the first one was."""
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
    address = POSTS[name].path.format(judging_id=path.rpartition("/")[2])

    async def post() -> httpx.Response:
        return await client.post(address, json=BODIES[name], headers={KEY: "once"})

    answers = await asyncio.gather(*(post() for _ in range(20)))
    assert len({answer.content for answer in answers if answer.is_success}) == 1
    late = {answer.json()["code"] for answer in answers if not answer.is_success}
    assert late <= {"idempotency_conflict"}
    stored, total = snapshot(redis_url), count_stored(redis_url)
    again = await post()
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.content == next(answer.content for answer in answers if answer.is_success)
    assert (snapshot(redis_url), count_stored(redis_url)) == (stored, total)
