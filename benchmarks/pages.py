"""The report of 5,000 queries in a browser beside a bare static page of the same bytes.

Chromium opens both over loopback with its cache off, and is asked when the loaded page was painted:
server and browser together. Both servers are granian with one process. The first view of a report
draws its charts; the service keeps the pictures for the next. Each run has other judgments, so that
no first view finds any. Another report is opened before all, since the renderer is loaded once.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx
from browsing import browsing
from programs import ROOT, answering, serving, started

from reteval import Client

QUERIES: Final = 5_000
OVER_STATIC_GOAL: Final = 3.0
SECONDS_GOAL: Final = 1.5
BYTES_GOAL: Final = 1_000_000
STYLE: Final = "service/pages/static/pages.css"
PAGE: Final = "page.html"
FIRST: Final = "first view"
STATIC: Final = "bare static page"
AGAIN: Final = "second view"


def main() -> int:
    """Measure, print the table and the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(folder) as service:
        reports = make_reports(service, options.runs + 1)
        took = asyncio.run(measure(folder, reports))
        size = max(path.stat().st_size for path in Path(folder).glob(f"held-*/{PAGE}"))
    print(f"{options.runs} reports of {QUERIES:,} queries, up to {size:,} bytes of HTML")
    print(f"{'page':18}{'median ms':>10}{'least':>8}{'most':>8}{'of static':>10}")
    static = statistics.median(took[STATIC])
    for name, times in took.items():
        shown = (statistics.median(times), min(times), max(times))
        middle, least, most = (1_000 * seconds for seconds in shown)
        print(f"{name:18}{middle:10.0f}{least:8.0f}{most:8.0f}{shown[0] / static:10.2f}")
    seconds = statistics.median(took[FIRST])
    print(f"figure report_over_static {seconds / static:.2f} goal <= {OVER_STATIC_GOAL:.0f}")
    print(f"figure report_seconds {seconds:.2f} goal <= {SECONDS_GOAL}")
    print(f"figure report_html_bytes {size} goal <= {BYTES_GOAL}")
    missed = (seconds > OVER_STATIC_GOAL * static, seconds > SECONDS_GOAL, size > BYTES_GOAL)
    return int(any(missed))


def make_reports(service: str, count: int) -> list[str]:
    """Make runs that have ended; return the addresses of their reports."""
    with Client(service) as client, answering() as endpoint:
        ids = []
        for seed in range(count):
            test_set = client.upload({"name": f"set-{seed}", "queries": write_queries(seed)}).id
            run = client.run({"test_set": test_set, "endpoint": {"url": endpoint}})
            ids.append(client.wait(run.id).id)
    return [f"{service}/runs/{run_id}" for run_id in ids]


def write_queries(seed: int) -> list[dict[str, object]]:
    """Write queries whose documents stand anywhere in the answer, or nowhere."""
    draw = random.Random(seed)  # noqa: S311 - data, no secret
    return [
        {
            "query": f"how do I reset part {number} of model {draw.randrange(10_000)}",
            "relevant": [
                {"id": f"doc-{document:05d}", "grade": draw.randint(1, 3)}
                for document in draw.sample(range(1, 16), draw.randint(1, 3))
            ],
            "tags": [f"tag-{draw.randrange(20)}"],
        }
        for number in range(QUERIES)
    ]


async def measure(folder: str, reports: Sequence[str]) -> dict[str, list[float]]:
    """Time the first view of each report, a static page of its bytes, and the second view."""
    took: dict[str, list[float]] = {FIRST: [], STATIC: [], AGAIN: []}
    async with browsing(folder) as browser:
        await browser.open(reports[0])
        for number, address in enumerate(reports[1:]):
            took[FIRST].append(await browser.open(address))
            held = hold(Path(folder) / f"held-{number}", address)
            with started([sys.executable, "benchmarks/bare_api.py", str(held)]) as bare:
                await browser.open(f"{bare}/{PAGE}")
                took[STATIC].append(await browser.open(f"{bare}/{PAGE}"))
            took[AGAIN].append(await browser.open(address))
    return took


def hold(folder: Path, address: str) -> Path:
    """Write what the service answers, for the bare server to answer it too."""
    folder.mkdir()
    (folder / PAGE).write_bytes(httpx.get(address, timeout=60).content)
    (folder / Path(STYLE).name).write_bytes((ROOT / STYLE).read_bytes())
    return folder


if __name__ == "__main__":
    sys.exit(main())
