"""Queries a second of a whole run, beside a bare httpx loop at the same concurrency.

The whole run is timed from the POST that starts it to the state `completed`: planning, sending,
decoding, storing every outcome durably, scoring, packing, reporting. The bare loop sends the
same bodies with httpx on the transport that the worker uses and decodes the answers, no more;
beside it stands the same loop on httpx's own connection pool.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from importlib.metadata import version

import httpx
import uvloop
from httpx_aiohttp import AiohttpTransport
from programs import answering, serving, upload

from reteval import Client

GOAL = 0.8


def main() -> int:
    """Run the comparison and print its table; 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        answering() as endpoint,
        serving(folder) as service,
    ):
        rows = compare(options, endpoint, service)
    print_table(options, rows)
    share = statistics.median(
        w / b for w, b in zip(rows["run"], rows["httpx+aiohttp"], strict=True)
    )
    print(f"figure walk_share_of_bare_httpx {share:.2f} goal >= {GOAL}")
    return int(share < GOAL)


def compare(options: argparse.Namespace, endpoint: str, service: str) -> dict[str, list[float]]:
    """Time each way once a round, turn and turn about; queries a second."""
    rows: dict[str, list[float]] = {"run": [], "httpx+aiohttp": [], "httpx pool": []}
    with Client(service) as client:
        test_set = upload(client, queries=options.queries)
        for _ in range(options.rounds):
            rows["httpx+aiohttp"].append(time_loop(options, endpoint, AiohttpTransport))
            rows["run"].append(time_run(options, client, test_set, endpoint))
            rows["httpx pool"].append(time_loop(options, endpoint, httpx.AsyncHTTPTransport))
    return rows


def time_run(options: argparse.Namespace, client: Client, test_set: str, endpoint: str) -> float:
    """Time a run from its POST to its end."""
    began = time.perf_counter()
    run = client.run(
        {
            "test_set": test_set,
            "endpoint": {"url": endpoint},
            "limits": {"concurrency": options.concurrency},
        }
    )
    ended = client.wait(run.id)
    took = time.perf_counter() - began
    assert ended.status == "completed", ended  # noqa: S101
    assert ended.progress.done == options.queries, ended  # noqa: S101
    return float(options.queries / took)


def time_loop(
    options: argparse.Namespace, endpoint: str, transport: type[httpx.AsyncBaseTransport]
) -> float:
    """Time a bare loop: as many lanes as the run's concurrency, answers decoded."""

    async def send_all() -> float:
        numbers = iter(range(options.queries))
        limits = httpx.Limits(max_connections=options.concurrency)
        async with httpx.AsyncClient(transport=transport(limits=limits), timeout=10) as client:

            async def lane() -> None:
                for number in numbers:
                    body = {"query": f"how do I reset part {number}", "top_k": 10}
                    (await client.post(endpoint, json=body)).json()

            began = time.perf_counter()
            await asyncio.gather(*(lane() for _ in range(options.concurrency)))
            return time.perf_counter() - began

    return float(options.queries / uvloop.run(send_all()))


def print_table(options: argparse.Namespace, rows: dict[str, list[float]]) -> None:
    """Print medians with their spread."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("httpx", "aiohttp", "redis", "rq"))
    print(
        f"{options.queries} queries, 10 hits each, concurrency {options.concurrency}, "
        f"{options.rounds} rounds; {versions}"
    )
    print(f"{'way':16}{'queries/s':>12}{'least':>10}{'most':>10}{'of bare':>10}")
    bare = statistics.median(rows["httpx+aiohttp"])
    for name, rates in rows.items():
        middle = statistics.median(rates)
        print(f"{name:16}{middle:12.0f}{min(rates):10.0f}{max(rates):10.0f}{middle / bare:10.2f}")


if __name__ == "__main__":
    sys.exit(main())
