"""Peak memory of finalising and of reading a run, from 10,000 to a million outcomes.

One test set, three runs over it: its queries once; ten times; with all variants, twenty times.
Requests and outcomes are written as a worker leaves them before the end. Then a process of its own
finalises each run as a worker does, and another serves its pages and exports. Peaks are VmHWM, so
this needs Linux. Bytes per outcome are those of the packed record without the dictionary of ids.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import redis

from reteval import Client
from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from service.embedded import EmbeddedServer
from service.queue import RUNS, JobQueue
from service.settings import Settings
from service.standalone import claim_port
from service.store import keys
from service.store.store import Store
from worker.jobs import execute
from worker.jobs.work import Work
from worker.pipeline.plan import Plan, build_plan

ROOT = Path(__file__).parents[1]
CORPUS = 100_000
HITS = 10
PAGES = 20
MOST_GROWTH = 1.2
MOST_BYTES = 40
TENANT = keys.DEFAULT_TENANT
RUNS_OVER_SET: tuple[dict[str, Any], ...] = (
    {},
    {"repeat": 10},
    {"repeat": 20, "adversarial": {"preset": "full", "seed": 1}},
)


def main() -> int:
    """Measure, print the table; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=8_000, help="queries that are varied")
    parser.add_argument("--finalise", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.finalise:
        finalise()
        return 0
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder)) as server:
        rows = [measure(server.url, made) for made in make_runs(server.url, options)]
    print_table(rows)
    figures = [
        ("finaliser_memory_growth", rows[-1]["finaliser"] / rows[0]["finaliser"], MOST_GROWTH),
        ("api_memory_growth", rows[-1]["api"] / rows[0]["api"], MOST_GROWTH),
        ("bytes_per_outcome", max(row["bytes"] for row in rows), MOST_BYTES),
    ]
    for name, value, goal in figures:
        print(f"figure {name} {value:.2f} goal <= {goal}")
    return int(any(value > goal for _, value, goal in figures))


def make_runs(url: str, options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Make the runs one after the other, each up to its end; ids and numbers of outcomes."""
    with served(url) as (api, _), Client(api) as client:
        test_set = client.upload({"name": "memory", "queries": make_queries(options.queries)}).id
    for changes in RUNS_OVER_SET:
        if "adversarial" in changes:
            changes["adversarial"]["sample"] = options.sample
        body = {"test_set": test_set, "endpoint": {"url": "http://search.example/"}}
        # Only now: the worker that ends one run would take up the next.
        with served(url) as (api, _), Client(api) as client:
            run_id = client.run({**body, "metrics": ["mrr", "ndcg@10"], **changes}).id
        yield run_id, asyncio.run(fill_run(url, run_id))


def make_queries(count: int) -> list[dict[str, Any]]:
    """Return queries of a few common words, each with three relevant documents."""
    # Repeatable on purpose: the same set every time.
    draw = random.Random(1)  # noqa: S311
    words = ["reset", "change", "delete", "export", "password", "invoice", "account", "gateway"]
    return [
        {
            "id": f"q{number}",
            "query": f"how do I {' '.join(draw.sample(words, 4))} of part {number}",
            "relevant_ids": [name_document(draw.randrange(CORPUS)) for _ in range(3)],
        }
        for number in range(count)
    ]


async def fill_run(url: str, run_id: str) -> int:
    """Plan a run and store all its outcomes as shards; its end is left."""
    store, queue = Store.connect(url), JobQueue.connect(url)
    try:
        claim = await store.claims.claim(TENANT, run_id, owner="benchmark", lease_s=3_600)
        assert claim is not None  # noqa: S101
        work = Work(Settings.from_env({}), store, queue, claim)
        record = await store.runs.get(TENANT, run_id)
        request = record.spec.request
        plan = plan_run(await work.read_queries(record.spec.test_set.id), request)
        size = await work.put_plan(plan)
        draw = np.random.default_rng(len(plan.requests))
        for unit in size.units():
            places = size.places(unit)
            outcomes = answer(plan, plan.requests[places.start : places.stop], draw)
            await store.shards.put(claim, unit, outcomes)
        await store.plans.commit(claim, [])
        return size.total
    finally:
        queue.close()
        await store.close()


def plan_run(queries: Sequence[Any], request: Any) -> Plan:
    """Plan as a worker does."""
    adversarial: AdversarialRequest | None = request.adversarial
    return build_plan(queries, adversarial, relevant_from=1, rounds=request.repeat)


def answer(
    plan: Plan, requests: Sequence[PlannedRequest], draw: np.random.Generator
) -> list[Outcome]:
    """Answer with ten documents of the corpus, of which one may be right."""
    right = {query.id: str(query.relevant[0].id) for query in plan.scorable if query.relevant}
    documents = draw.integers(0, CORPUS, (len(requests), HITS)).tolist()
    ranks = draw.integers(0, 2 * HITS, len(requests)).tolist()
    latencies = draw.lognormal(3, 0.5, len(requests)).astype(np.float32).tolist()
    outcomes = []
    for request, numbers, rank, latency in zip(requests, documents, ranks, latencies, strict=True):
        ids = [name_document(number) for number in numbers]
        if rank < HITS and request.query_id in right:
            ids[rank] = right[request.query_id]
        outcomes.append(
            Outcome(
                status=OutcomeStatus.OK,
                ids=ids,
                returned=HITS,
                http_status=200,
                latency_ms=latency,
                first_byte_ms=latency * 0.9,
            )
        )
    return outcomes


def name_document(number: int) -> str:
    """Return the id of a document."""
    return f"doc-{number:06d}"


def measure(url: str, made: tuple[str, int]) -> dict[str, Any]:
    """Finalise a run and read it, each in a process of its own; MiB and seconds."""
    run_id, outcomes = made
    began = time.perf_counter()
    words = [sys.executable, __file__, "--finalise"]
    ended = subprocess.run(
        words, env=environment(url), check=True, capture_output=True, text=True, cwd=ROOT
    )
    took = time.perf_counter() - began
    finaliser = json.loads(ended.stdout.splitlines()[-1])
    return {
        "outcomes": outcomes,
        "finaliser": finaliser["peak"],
        "cpu": finaliser["cpu"],
        "took": took,
        "api": read_run(url, run_id),
        "bytes": weigh(url, run_id) / outcomes,
    }


def finalise() -> None:
    """Do what a worker does when it is woken, and tell what it took."""
    execute(RUNS)
    print(json.dumps({"peak": read_peak(os.getpid()), "cpu": time.process_time()}))


def read_run(url: str, run_id: str) -> float:
    """Read pages and exports of a run from an API of its own, and return its peak."""
    with served(url) as (api, pid), httpx.Client(base_url=f"{api}/v1/runs/{run_id}") as client:
        assert client.get("/results").json()["status"] == "completed"  # noqa: S101
        for resource in ("outcomes", "variants", "queries"):
            cursor: str | None = ""
            for _ in range(PAGES):
                page = client.get(f"/{resource}", params={"limit": 200, "cursor": cursor or ""})
                cursor = page.raise_for_status().json()["next_cursor"]
                if cursor is None:
                    break
        for form in ("jsonl", "csv", "trec"):
            with client.stream("GET", "/export", params={"format": form}) as answered:
                for _ in answered.raise_for_status().iter_bytes():
                    pass
        return sum(map(read_peak, find_family(pid)))


def weigh(url: str, run_id: str) -> int:
    """Return the bytes of a run's packed outcomes, without its dictionary of ids."""
    with redis.Redis.from_url(url) as client:
        fields = client.hscan_iter(keys.job_part(TENANT, run_id, "packed"), count=50)
        return sum(
            len(blob) for name, blob in fields if name.startswith((b"outcomes:", b"scores:"))
        )


@contextmanager
def served(url: str) -> Iterator[tuple[str, int]]:
    """Run an API by itself, and yield its address and process."""
    port = claim_port("127.0.0.1", 0)
    words = [sys.executable, "-m", "service", "serve"]
    env = {**environment(url), "RETEVAL_PORT": str(port)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, cwd=ROOT, env=env, **quiet) as process:
        try:
            api = f"http://127.0.0.1:{port}"
            while not answers(api):
                time.sleep(0.1)
            yield api, process.pid
        finally:
            process.terminate()


def answers(api: str) -> bool:
    """Whether the API is there."""
    try:
        return httpx.get(f"{api}/healthz").is_success
    except httpx.TransportError:
        return False


def environment(url: str) -> dict[str, str]:
    """Return the environment of a part of the service on this store."""
    return {**os.environ, "RETEVAL_REDIS_URL": url, "RETEVAL_AUTH": "off"}


def find_family(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(found for child in children for found in find_family(int(child)))]


def read_peak(pid: int) -> float:
    """Return the most memory that a process ever had, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(peak) / 1024


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print what each run took."""
    print(f"{HITS} hits of {CORPUS} documents each; numpy {np.__version__}")
    print(
        f"{'outcomes':>10}{'finaliser MiB':>15}{'API MiB':>10}{'bytes/outcome':>15}"
        f"{'CPU s':>8}{'s':>8}{'CPU s/100k':>12}"
    )
    for row in rows:
        per = row["cpu"] / row["outcomes"] * 100_000
        print(
            f"{row['outcomes']:10}{row['finaliser']:15.0f}{row['api']:10.0f}{row['bytes']:15.1f}"
            f"{row['cpu']:8.1f}{row['took']:8.1f}{per:12.2f}"
        )


if __name__ == "__main__":
    sys.exit(main())
