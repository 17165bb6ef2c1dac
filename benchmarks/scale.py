"""One large run on 1, 2 and 4 workers, 200 small runs at once, and reads under load.

The endpoint answers after 20 ms, and a run may have 8 requests under way for each worker: what
ideal scaling is, is known. The whole run is timed, from the POST to `completed`; the time until
the last request has ended stands beside it, as planning and the numbers are one worker's.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from programs import answering, serving, upload

from reteval import Client, Run

LANES = 8
DELAY_MS = 20
SCALING_GOAL = 0.85
READS_GOAL = 3.0
QUERIES = 10_000


def main() -> int:
    """Measure all three and print their tables; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--small", type=int, default=200)
    options = parser.parse_args()
    counts = [int(word) for word in options.workers.split(",")]
    with answering(delay_ms=DELAY_MS) as endpoint:
        scaling = measure_scaling(counts, options.requests, endpoint)
        waits, finished = measure_small(options.small, endpoint)
        idle, loaded = measure_reads(endpoint)
    print(f"\n{options.small} small runs at once on 2 workers: {finished} completed,")
    print(f"  from POST to end: median {_at(waits, 0.5):.1f} s, p95 {_at(waits, 0.95):.1f} s")
    share = _at(loaded, 0.99) / _at(idle, 0.99)
    print("reads of a run's state, ms: ", end="")
    for name, times in (("idle", idle), ("under load", loaded)):
        print(
            f"{name} median {_at(times, 0.5) * 1e3:.1f}, p99 {_at(times, 0.99) * 1e3:.1f}; ", end=""
        )
    print()
    print(f"figure scaling_share_of_ideal {scaling:.2f} goal >= {SCALING_GOAL}")
    print(f"figure small_runs_completed {finished / options.small:.2f} goal >= 1")
    print(f"figure read_p99_under_load {share:.2f} goal <= {READS_GOAL}")
    return int(scaling < SCALING_GOAL or finished < options.small or share > READS_GOAL)


def measure_scaling(counts: list[int], requests: int, endpoint: str) -> float:
    """Time one run on each number of workers; return the least share of ideal scaling."""
    print(f"one run of {requests} requests, {DELAY_MS} ms each, {LANES} at a time and worker")
    print(f"{'workers':>8}{'sent, s':>10}{'whole, s':>10}{'requests/s':>12}{'of ideal':>10}")
    alone, worst = 0.0, 1.0
    for count in counts:
        with fresh(workers=count) as service, Client(service) as client:
            test_set = upload(client, queries=QUERIES)
            sent, whole = time_run(client, test_set, endpoint, requests, lanes=LANES * count)
        alone = alone or whole * count
        share = alone / (whole * count)
        worst = min(worst, share)
        print(
            f"{count:8}{sent:10.1f}{whole:10.1f}{requests / whole:12.0f}{share:10.2f}", flush=True
        )
    return worst


def measure_small(count: int, endpoint: str) -> tuple[list[float], int]:
    """Start many runs of 20 queries at once; return the seconds to each end, and how many ended."""
    with fresh(workers=2) as service, Client(service) as client:
        test_set = upload(client, queries=20)
        began = time.perf_counter()
        runs = [start(client, test_set, endpoint, lanes=4) for _ in range(count)]
        waits, finished = [], 0
        for run in runs:
            ended = client.wait(run.id, timeout_s=600)
            waits.append(time.perf_counter() - began)
            finished += ended.status == "completed"
    return waits, finished


def measure_reads(endpoint: str, *, seconds: float = 15.0) -> tuple[list[float], list[float]]:
    """Time reads of a run's state, first on an idle service, then while a large run is sent."""
    with fresh(workers=2) as service, Client(service) as client:
        small = client.wait(start(client, upload(client, queries=20), endpoint, lanes=4).id)
        idle = time_reads(service, small.id, seconds)
        large = start(client, upload(client, queries=QUERIES), endpoint, lanes=LANES * 2, repeat=5)
        while not client.get(large.id).progress.done:
            time.sleep(0.1)
        loaded = time_reads(service, small.id, seconds)
        client.cancel(large.id)
    return idle, loaded


def time_reads(service: str, run_id: str, seconds: float) -> list[float]:
    """Read a run's state fifty times a second, over one connection."""
    times = []
    with httpx.Client() as http:
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            http.get(f"{service}/v1/runs/{run_id}").raise_for_status()
            times.append(time.perf_counter() - began)
            time.sleep(0.02)
    return times


def time_run(
    client: Client, test_set: str, endpoint: str, requests: int, *, lanes: int
) -> tuple[float, float]:
    """Return the seconds until all requests of a run have ended, and to its end."""
    began = time.perf_counter()
    run = start(client, test_set, endpoint, lanes=lanes, repeat=max(1, requests // QUERIES))
    sent = began
    while not (state := client.get(run.id)).status.terminal:
        if sent == began and state.status == "finalising":
            sent = time.perf_counter()
        time.sleep(0.1)
    assert state.status == "completed", state  # noqa: S101
    return sent - began, time.perf_counter() - began


def start(client: Client, test_set: str, endpoint: str, *, lanes: int, repeat: int = 1) -> Run:
    """Start a run."""
    return client.run(
        {
            "test_set": test_set,
            "endpoint": {"url": endpoint},
            "metrics": ["ndcg@10", "recall@10", "mrr"],
            "limits": {"concurrency": lanes},
            "repeat": repeat,
        }
    )


@contextmanager
def fresh(*, workers: int) -> Iterator[str]:
    """Serve on empty data."""
    with tempfile.TemporaryDirectory() as folder, serving(folder, workers=workers) as service:
        yield service


def _at(values: list[float], share: float) -> float:
    return statistics.quantiles(values, n=1_000, method="inclusive")[round(share * 1_000) - 1]


if __name__ == "__main__":
    sys.exit(main())
