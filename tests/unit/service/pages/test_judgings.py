"""Judging on pages: how far it is, one pair at a time, and how well a judge agrees."""

import html
import re

import httpx

from examples.judge.server import serve_judge
from tests.endpoint import serve_answers
from tests.judging import judge, make, model, oracle, pool, search, work


def fields_of(page: str) -> dict[str, str]:
    """Return the hidden fields of the form on a page."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in found}


async def judged(client: httpx.AsyncClient, redis_url: str) -> str:
    """Make a judging with a pool that a model has judged; return the address of its page."""
    with serve_answers(search()) as endpoint, serve_judge(oracle()) as fake:
        path = await make(client, endpoint.url)
        await pool(client, path, redis_url)
        await judge(client, path, redis_url, model=model(fake.url))
    return path.removeprefix("/v1")


async def test_pages_say_what_comes_next(client: httpx.AsyncClient, redis_url: str) -> None:
    """From nothing to a pool, each page holds the next command or the next button."""
    assert "reteval judging create" in (await client.get("/judgings")).text
    with serve_answers(search()) as endpoint:
        path = await make(client, endpoint.url)
        page = path.removeprefix("/v1")
        assert "reteval judging pool jdg_" in (await client.get(page)).text
        await pool(client, path, redis_url)
    pooled = (await client.get(page)).text
    assert "reteval judging judge jdg_" in pooled
    assert f'href="{page}/review"' in pooled
    assert page in (await client.get("/judgings")).text


async def test_suggestion_is_hidden_until_the_vote(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """A page shows a pair without the model's word, which comes once a person has voted."""
    page = await judged(client, redis_url)
    first = (await client.get(f"{page}/review")).text
    assert "A model said" not in first
    pair = fields_of(first)
    asked = {"query_id": pair["query_id"], "doc_id": pair["doc_id"]}
    assert "A model said" not in (await client.get(f"{page}/review", params=asked)).text
    sent = await client.post(f"{page}/review", data={**pair, "grade": "2", "rater": "ada"})
    assert sent.status_code == 303, sent.text
    after = (await client.get(sent.headers["location"])).text
    assert "you said <strong>2</strong>" in after
    assert "A model said" in after
    assert 'value="ada"' in after
    assert fields_of(after)["doc_id"] != pair["doc_id"]


async def test_pair_can_be_left_out(client: httpx.AsyncClient, redis_url: str) -> None:
    """Skipping leads to the next pair; that something cannot be told is a vote, nonsense none."""
    page = await judged(client, redis_url)
    first = (await client.get(f"{page}/review")).text
    skip = re.search(r'data-key="s" href="([^"]+)"', first)
    assert skip is not None
    second = (await client.get(html.unescape(skip[1]))).text
    pair = fields_of(second)
    assert pair["doc_id"] != fields_of(first)["doc_id"]
    refused = await client.post(f"{page}/review", data={**pair, "grade": "very"})
    assert (refused.status_code, "is no grade" in refused.text) == (422, True)
    sent = await client.post(f"{page}/review", data={**pair, "grade": "unrateable"})
    assert "cannot be told" in (await client.get(sent.headers["location"])).text


async def test_agreement_is_measured_from_the_page(
    client: httpx.AsyncClient, redis_url: str
) -> None:
    """The button begins a measurement; its page says how far it is, then what was found."""
    page = await judged(client, redis_url)
    for _ in range(3):
        pair = fields_of((await client.get(f"{page}/review")).text)
        await client.post(f"{page}/review", data={**pair, "grade": "1"})
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    begun = await client.post(f"{page}/measure", headers=form)
    found = begun.headers["location"]
    waiting = (await client.get(found, params={"wait": 0.01})).text
    assert "is being measured" in waiting
    await work(redis_url)
    shown = (await client.get(found)).text
    assert "kappa, weighted" in shown
    assert "people 0" in shown
