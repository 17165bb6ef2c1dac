"""What is remembered of exchanges: enough to show, no secret, one a task."""

import asyncio

import pytest

from reteval.contract.endpoints import Endpoint, Method
from service.egress import Policy
from tests.evil import Evil
from tests.searching import LIMITS, Naps
from worker.search.lanes import Lanes
from worker.search.manners import Manners
from worker.search.searcher import Searcher
from worker.search.template import Ask
from worker.search.witness import Witness, mask_url


def watched(endpoint: Endpoint, witness: Witness) -> Searcher:
    """Make a searcher with a tap."""
    return Searcher(
        endpoint,
        limits=LIMITS,
        depth=3,
        policy=Policy.parse("loopback"),
        manners=Manners(pacer=Naps().pacer(), lanes=Lanes(LIMITS.concurrency)),
        run_id="run_1",
        tap=witness.see,
    )


async def test_exchange_is_shown_without_secrets(evil: Evil) -> None:
    """Header values, telling parameters and echoes of a secret are masked."""
    endpoint = Endpoint(
        url=evil.url("ok") + "?api_key=abc&lang=en",
        headers={"Authorization": "Bearer s3cret-token"},
        body={"q": "{{query}}", "again": "s3cret-token"},
    )
    witness = Witness(endpoint)
    async with watched(endpoint, witness) as searcher:
        await searcher.search(Ask(text="how?"))
    seen = witness.take()
    assert seen is not None
    assert seen.request.method == "POST"
    assert seen.request.url.endswith("?api_key=***&lang=en")
    assert seen.request.headers["Authorization"] == "***"
    assert seen.request.headers["Content-Type"] == "application/json"
    assert seen.request.body == '{"q":"how?","again":"***"}'
    assert seen.content_type.startswith("application/json")
    assert seen.body.startswith(b"{")
    assert witness.take() is None


async def test_request_without_reply_is_kept() -> None:
    """A request that nobody answered is shown as sent."""
    endpoint = Endpoint(url="http://127.0.0.1:9/", method=Method.GET)
    witness = Witness(endpoint)
    async with watched(endpoint, witness) as searcher:
        await searcher.search(Ask(text="how?"))
    seen = witness.take()
    assert seen is not None
    assert (seen.reply, seen.body, seen.content_type, seen.request.body) == (None, b"", "", None)


async def test_each_task_takes_its_own(evil: Evil) -> None:
    """Lanes do not see each other's exchanges; a closed witness keeps nothing."""
    endpoint = Endpoint(url=evil.url("ok"))
    witness = Witness(endpoint)

    async def ask(searcher: Searcher, text: str) -> bool:
        await searcher.search(Ask(text=text))
        seen = witness.take()
        return seen is not None and text in (seen.request.body or "")

    async with watched(endpoint, witness) as searcher:
        assert all(await asyncio.gather(*(ask(searcher, f"text {i}") for i in range(9))))
        witness.close()
        assert not await ask(searcher, "late")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://u:p@a/x?token=1&q=2&session_id=", "http://a/x?token=***&q=2&session_id="),
        ("http://a/x", "http://a/x"),
        ("http://a/x?", "http://a/x"),
    ],
)
def test_mask_url_hides_what_tells(url: str, shown: str) -> None:
    """Passwords and values of telling parameters are not shown."""
    assert mask_url(url) == shown
