"""Searches a second, and what they cost in CPU, beside the bare transport at the same concurrency.

The searcher renders each request, checks where its connection leads, keeps a deadline, caps the
answer, reads it into ids and scores and makes an outcome of it. The bare loop sends the same
bodies on the transport it uses (an aiohttp session) and takes ids and scores out of the decoded
answers, no more; beside it stands the same loop on httpx over that transport. Shares are of CPU
time: on a busy core the rate is its inverse, and other programs disturb it less.
"""

import argparse
import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import NamedTuple

import aiohttp
import httpx
import msgspec
import uvloop
from httpx_aiohttp import AiohttpTransport
from programs import answering

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import Outcome
from reteval.contract.runs import Limits
from service.egress import Policy
from worker.search.searcher import Searcher
from worker.search.template import Ask

SHARE_OF_BARE = 0.9
SHARE_OF_IDEAL = 0.95
DELAY_MS = 50
HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity"}


class Rate(NamedTuple):
    """What a way of sending achieved: requests a second, CPU milliseconds a thousand."""

    per_s: float
    cpu_ms: float


Way = Callable[[str, int, int], Awaitable[None]]


async def send_bare(url: str, requests: int, concurrency: int) -> None:
    """Send on an aiohttp session with nothing around it."""
    numbers = iter(range(requests))
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector, headers=HEADERS) as session:

        async def lane() -> None:
            for number in numbers:
                async with session.post(url, data=make_body(number)) as response:
                    take_hits(await response.read())

        await asyncio.gather(*(lane() for _ in range(concurrency)))


async def send_httpx(url: str, requests: int, concurrency: int) -> None:
    """Send with an httpx client over aiohttp's connections."""
    numbers = iter(range(requests))
    transport = AiohttpTransport(limits=httpx.Limits(max_connections=concurrency))
    async with httpx.AsyncClient(transport=transport, timeout=10, headers=HEADERS) as client:

        async def lane() -> None:
            for number in numbers:
                response = await client.post(url, content=make_body(number))
                take_hits(response.content)

        await asyncio.gather(*(lane() for _ in range(concurrency)))


async def send_searches(url: str, requests: int, concurrency: int) -> None:
    """Search as a worker does; outcomes are dropped as they come."""
    searcher = Searcher(
        Endpoint(url=url),
        limits=Limits(concurrency=concurrency),
        depth=100,
        policy=Policy.parse("loopback"),
    )
    seen = 0

    def count(place: int, outcome: Outcome) -> None:
        nonlocal seen
        assert outcome.ids, (place, outcome)  # noqa: S101
        seen += 1

    asks = ((number, Ask(text=make_text(number))) for number in range(requests))
    async with searcher:
        await searcher.search_all(asks, emit=count, stopping=lambda: False)
    assert seen == requests, seen  # noqa: S101


WAYS: dict[str, Way] = {"searcher": send_searches, "bare": send_bare, "httpx": send_httpx}


def take_hits(body: bytes) -> tuple[list[str], list[float]]:
    """Decode an answer into ids and scores, with no question asked."""
    hits = msgspec.json.decode(body)["results"]
    return [hit["id"] for hit in hits], [hit["score"] for hit in hits]


def make_text(number: int) -> str:
    """Return the text of a query."""
    return f"how do I reset part {number}"


def make_body(number: int) -> bytes:
    """Return the body that the default protocol makes of a query."""
    return b'{"query":"how do I reset part %d","top_k":100}' % number


def time_way(way: Way, url: str, requests: int, concurrency: int) -> Rate:
    """Time one way of sending."""
    gc.collect()
    began, worked = time.perf_counter(), time.process_time()
    uvloop.run(way(url, requests, concurrency))  # type: ignore[arg-type]
    wall, cpu = time.perf_counter() - began, time.process_time() - worked
    return Rate(requests / wall, cpu / requests * 1e6)


def compare(url: str, requests: int, concurrency: int, rounds: int) -> dict[str, list[Rate]]:
    """Time every way once a round, turn and turn about."""
    rows: dict[str, list[Rate]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, way in WAYS.items():
            rows[name].append(time_way(way, url, requests, concurrency))
    return rows


def print_row(label: str, concurrency: int, rows: dict[str, list[Rate]]) -> float:
    """Print medians; return the bare loop's CPU as a share of the searcher's."""
    print(f"{label:10}{concurrency:12}", end="")
    for rates in rows.values():
        print(f"{middle(rates, 0):12.0f}{middle(rates, 1):9.0f}", end="")
    pairs = list(zip(rows["searcher"], rows["bare"], strict=True))
    share = statistics.median(bare.cpu_ms / ours.cpu_ms for ours, bare in pairs)
    print(f"{share:9.2f}")
    return share


def middle(rates: list[Rate], column: int) -> float:
    """Return the median of one column."""
    return statistics.median(rate[column] for rate in rates)


def measure_busy(options: argparse.Namespace) -> float:
    """Print a row for each size and concurrency; return the median share."""
    shares = []
    for hits in (10, 100):
        with answering(hits=hits) as url:
            for concurrency in (1, 8, 32, 128):
                rows = compare(url, options.requests, concurrency, options.rounds)
                shares.append(print_row(f"{hits} hits", concurrency, rows))
    return statistics.median(shares)


def measure_slow(options: argparse.Namespace) -> float:
    """Print a row for each concurrency; return the least share of concurrency / latency."""
    least = 1.0
    with answering(delay_ms=DELAY_MS) as url:
        for concurrency in (8, 32):
            # Enough of them that connecting weighs little.
            rows = compare(url, concurrency * 100, concurrency, min(options.rounds, 3))
            print_row("50 ms", concurrency, rows)
            ideal = concurrency / (DELAY_MS / 1_000)
            least = min(least, max(rate.per_s for rate in rows["searcher"]) / ideal)
    return least


def main() -> int:
    """Run the comparison and print its table; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    versions = ", ".join(f"{name} {version(name)}" for name in ("aiohttp", "httpx", "uvloop"))
    print(f"{options.requests} requests, {options.rounds} rounds; {versions}")
    heads = "".join(f"{f'{name}/s':>12}{'CPU':>9}" for name in WAYS)
    print(f"{'answer':10}{'concurrency':>12}{heads}{'share':>9}")
    share, ideal = measure_busy(options), measure_slow(options)
    print("CPU in milliseconds a thousand requests")
    print(f"figure outbound_share_of_bare {share:.2f} goal >= {SHARE_OF_BARE}")
    print(f"figure outbound_share_of_ideal_at_50_ms {ideal:.2f} goal >= {SHARE_OF_IDEAL}")
    return int(share < SHARE_OF_BARE or ideal < SHARE_OF_IDEAL)


if __name__ == "__main__":
    sys.exit(main())
