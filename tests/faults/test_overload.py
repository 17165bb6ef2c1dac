"""F58: ten times the usual load on the API: every answer in time, memory flat, nothing lost."""

import asyncio
import time
from collections import Counter
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.faults.asking import PROMPT_S
from tests.faults.cluster import Cluster, Part
from tests.faults.runs import set_stage

USUAL: Final = 10
"""Callers at once, each of whom asks again as soon as it is answered."""
SECONDS: Final = 4.0
BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class Load:
    """Callers of one deployment, and what they were answered."""

    def __init__(self, url: str, request: dict[str, Any]) -> None:
        self.statuses: Counter[int] = Counter()
        self.accepted: list[str] = []
        self.slowest_s = 0.0
        self._url = url
        self._request = request

    async def press(self, callers: int) -> None:
        """Let so many callers ask for some seconds: one creation, then nine readings of it."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            end = time.monotonic() + SECONDS
            await asyncio.gather(*(self._call(session, end) for _ in range(callers)))

    async def _call(self, session: aiohttp.ClientSession, end: float) -> None:
        while time.monotonic() < end:
            body = await self._ask(session.post(f"{self._url}/v1/runs", json=self._request))
            if body is None:
                continue
            self.accepted.append(body["id"])
            for _ in range(9):
                await self._ask(session.get(f"{self._url}/v1/runs/{body['id']}"))

    async def _ask(self, asking: Any) -> Any:
        """Return what was answered; None if we are to come back later."""
        began = time.monotonic()
        async with asking as answer:
            body = await answer.json(content_type=None)
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        self.statuses[answer.status] += 1
        if answer.status not in BUSY:
            return body
        assert answer.headers["Retry-After"]
        return None


def read_memory(part: Part) -> int:
    """Return the resident bytes of a part, in pages, its forks included."""
    places = [Path(f"/proc/{pid}/statm") for pid in (part.pid, *part.horses())]
    return sum(int(place.read_text().split()[1]) for place in places)


async def test_f58_ten_times_the_load(cluster: Cluster) -> None:
    """F58: accepted or told to come back, within the bound of one request; no byte is kept."""
    with set_stage(cluster) as stage:
        load = Load(cluster.url, stage.request() | {"label": "load"})
        await load.press(USUAL)
        await load.press(10 * USUAL)
        before = read_memory(cluster.api)
        for _ in range(2):
            await load.press(10 * USUAL)
        assert read_memory(cluster.api) < 1.2 * before
        assert set(load.statuses) <= {HTTPStatus.OK, HTTPStatus.ACCEPTED, *BUSY}
        assert load.slowest_s < PROMPT_S
        stored = {run.id for run in stage.client.runs(label="load")}
        assert {*load.accepted} <= stored
        assert len(load.accepted) > 10 * USUAL
