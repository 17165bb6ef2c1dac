"""What a run costs the store: commands, processor time and bytes for each 1,000 outcomes.

One run over a fast endpoint, with the server's own numbers read before and after. The server
counts what scripts call inside it, too: of what arrives over connections `evalsha` is the most.
"""

import argparse
import sys
import tempfile
import time
from typing import Any

import redis
from programs import answering, serving, upload

from reteval import Client
from service.embedded import EmbeddedServer

GOAL = 100
"""Scripts run for each 1,000 outcomes; written one by one they would be 1,000."""


def main() -> int:
    """Run it and print the table; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--fsync", choices=("always", "everysec"), default="always")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        answering() as endpoint,
        serving(folder, workers=options.workers) as url,
        redis.Redis.from_url(EmbeddedServer(f"{folder}/data").url) as server,
        Client(url) as client,
    ):
        server.config_set("appendfsync", options.fsync)
        before, after, took = measure(options, client, server, endpoint)
    return report(options, before, after, took)


def measure(
    options: argparse.Namespace, client: Client, server: "redis.Redis", endpoint: str
) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Run once; return the server's numbers before and after, and the seconds."""
    test_set = upload(client, queries=options.queries)
    before = read(server)
    began = time.perf_counter()
    limits = {"concurrency": options.concurrency}
    run = client.run({"test_set": test_set, "endpoint": {"url": endpoint}, "limits": limits})
    ended = client.wait(run.id)
    took = time.perf_counter() - began
    assert ended.progress.done == options.queries, ended  # noqa: S101
    time.sleep(1)  # what was unlinked is freed behind
    return before, read(server), took


def read(server: "redis.Redis") -> dict[str, Any]:
    """Return the server's own account."""
    numbers: dict[str, Any] = {}
    for section in ("stats", "cpu", "memory", "commandstats"):
        numbers |= server.info(section)
    return numbers


def report(
    options: argparse.Namespace, before: dict[str, Any], after: dict[str, Any], took: float
) -> int:
    """Print the table and the figures."""
    share = 1_000 / options.queries
    calls = {
        name.removeprefix("cmdstat_"): (row["calls"] - before.get(name, {"calls": 0})["calls"])
        for name, row in after.items()
        if name.startswith("cmdstat_")
    }
    cpu = sum(after[name] - before[name] for name in ("used_cpu_user", "used_cpu_sys"))
    print(f"{options.queries} outcomes, {options.workers} workers, appendfsync {options.fsync}")
    print("for 1,000 outcomes")
    for name, count in sorted(calls.items(), key=lambda row: -row[1])[:14]:
        print(f"  {name:32}{count * share:10.1f}")
    scripts = calls["evalsha"] * share
    rows = {
        "server CPU, ms": cpu * share * 1_000,
        "kB in": (after["total_net_input_bytes"] - before["total_net_input_bytes"]) * share / 1e3,
        "kB out": (after["total_net_output_bytes"] - before["total_net_output_bytes"])
        * share
        / 1e3,
        "kB kept": (after["used_memory"] - before["used_memory"]) * share / 1e3,
        "kB at the peak": (after["used_memory_peak"] - before["used_memory"]) * share / 1e3,
    }
    for name, value in rows.items():
        print(f"  {name:32}{value:10.1f}")
    print(f"{'outcomes a second':34}{options.queries / took:10.0f}")
    print(f"figure store_scripts_per_1000_outcomes {scripts:.1f} goal <= {GOAL}")
    return int(scripts > GOAL)


if __name__ == "__main__":
    sys.exit(main())
