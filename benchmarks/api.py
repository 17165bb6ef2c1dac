"""The hot reads beside a bare litestar handler of the same bytes; an upload beside bare decoding.

Both servers run on granian with one process, ours with keys and rate limits on; the same raw
sockets ask both, turn and turn about. The share is of requests a second of the server's processor
time, which other programs on the machine change least; the rates of the clock stand beside it. The
upload is measured from the first byte to the answer, everything checked and stored durably; beside
it stands msgspec's decoding of the same lines into the same structs, in processor time too.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import msgspec
import uvloop
from programs import ROOT, answering, serving, started, upload

from reteval import Client
from reteval.contract.testsets import Query

READ_GOAL = 0.7
UPLOAD_GOAL = 3.0
QUERIES = 5_000
SETTINGS = {
    "RETEVAL_AUTH": "required",
    "RETEVAL_RATE_REQUESTS": "100000000",
    "RETEVAL_QUOTA_REQUESTS_PER_DAY": "10000000000",
}
"""Keys, and limits that count every request but are never reached."""
Shot = tuple[str, dict[str, str]]


def main() -> int:
    """Measure, print the tables and the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=4_800)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--upload", type=int, default=50_000)
    options = parser.parse_args()
    os.environ |= SETTINGS
    with tempfile.TemporaryDirectory() as folder, serving(folder) as service:
        os.environ["RETEVAL_API_KEY"] = make_key(folder)
        shots = prepare(service)
        held = Path(folder) / "held"
        with started(
            [sys.executable, "benchmarks/bare_api.py", str(fill(held, service, shots))]
        ) as bare:
            shares = compare_reads(options, {"service": service, "bare": bare}, shots)
        times = compare_uploads(options, service)
    print(f"figure api_reads_share_of_bare {min(shares):.2f} goal >= {READ_GOAL}")
    print(f"figure upload_times_bare_decode {times:.1f} goal <= {UPLOAD_GOAL:.0f}")
    return int(min(shares) < READ_GOAL or times > UPLOAD_GOAL)


def make_key(folder: str) -> str:
    """Make the first key of the service whose data are in a folder."""
    words = [sys.executable, "-m", "service", "bootstrap", "--data", f"{folder}/data"]
    made = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return made.stdout.strip()


def prepare(service: str) -> dict[str, Shot]:
    """Make an ended run of many queries; return what is asked for, by name."""
    with Client(service) as client, answering() as endpoint:
        test_set = upload(client, queries=QUERIES)
        run = client.run({"test_set": test_set, "endpoint": {"url": endpoint}})
        client.wait(run.id)
    path = f"/v1/runs/{run.id}"
    key = {"Authorization": f"Bearer {os.environ['RETEVAL_API_KEY']}"}
    etag = httpx.get(f"{service}{path}/results", headers=key).headers["ETag"]
    return {
        "state": (path, key),
        "results": (f"{path}/results", key),
        "results-304": (f"{path}/results", {**key, "If-None-Match": etag}),
    }


def fill(folder: Path, service: str, shots: dict[str, Shot]) -> Path:
    """Write what the service answers, for the bare server to answer it too."""
    folder.mkdir()
    for name, (path, headers) in shots.items():
        (folder / name).write_bytes(httpx.get(service + path, headers=headers).content)
    return folder


def compare_reads(
    options: argparse.Namespace, servers: dict[str, str], shots: dict[str, Shot]
) -> list[float]:
    """Print each read both ways; return the service's share of the bare requests a CPU second."""
    print(
        f"{options.requests} requests on {options.connections} connections, {options.rounds} rounds"
        f"; litestar {version('litestar')}, granian {version('granian')}"
    )
    print(f"{'read':14}{'way':9}{'/s':>8}{'p99 ms':>9}{'CPU us':>9}{'share':>8}")
    shares = []
    for name, (path, headers) in shots.items():
        rows: dict[str, list[tuple[float, float, float]]] = {"service": [], "bare": []}
        for _ in range(options.rounds):
            rows["bare"].append(ask(options, servers["bare"], (f"/{name}", headers)))
            rows["service"].append(ask(options, servers["service"], (path, headers)))
        spent = {way: statistics.median(cpu for *_, cpu in found) for way, found in rows.items()}
        shares.append(spent["bare"] / spent["service"])
        for way, found in rows.items():
            rate, p99, _ = (statistics.median(column) for column in zip(*found, strict=True))
            share = shares[-1] if way == "service" else 1.0
            print(f"{name:14}{way:9}{rate:8.0f}{p99:9.1f}{spent[way]:9.0f}{share:8.2f}")
    return shares


def ask(options: argparse.Namespace, server: str, shot: Shot) -> tuple[float, float, float]:
    """Ask again and again; requests a second, p99 in ms, and the server's CPU in us a request."""
    parts = urlsplit(server)
    lines = [f"GET {shot[0]} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in shot[1].items()]
    request = "\r\n".join([*lines, "", ""]).encode()
    took: list[float] = []

    async def lane() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for _ in range(options.requests // options.connections):
            began = time.perf_counter()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert head.startswith((b"http/1.1 200", b"http/1.1 304")), head  # noqa: S101
            _, found, length = head.partition(b"content-length:")
            if found:
                await reader.readexactly(int(length.partition(b"\r\n")[0]))
            took.append(time.perf_counter() - began)
        writer.close()

    async def all_lanes() -> float:
        began = time.perf_counter()
        await asyncio.gather(*(lane() for _ in range(options.connections)))
        return time.perf_counter() - began

    server_pids = find_listeners(parts.port or 0)
    before = sum(map(read_cpu_s, server_pids))
    seconds = uvloop.run(all_lanes())
    spent = sum(map(read_cpu_s, server_pids)) - before
    return (
        len(took) / seconds,
        1_000 * statistics.quantiles(took, n=100)[98],
        1e6 * spent / len(took),
    )


def find_listeners(port: int) -> list[int]:
    """Return the processes that hold the listening socket of a port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    nodes = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}")}
    found = []
    for descriptors in Path("/proc").glob("[0-9]*/fd"):
        try:
            held = {str(one.readlink()) for one in descriptors.iterdir()}
        except OSError:  # it has ended, or is not ours
            continue
        if held & nodes:
            found.append(int(descriptors.parent.name))
    return found


def read_cpu_s(pid: int) -> float:
    """Return the processor time a process has spent, to the nanosecond where the kernel tells."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9


def compare_uploads(options: argparse.Namespace, service: str) -> float:
    """Upload new sets as lines and decode the same lines, turn and turn about; the ratio of CPU."""
    rows: list[tuple[float, float, float, float]] = []
    headers = {
        "Authorization": f"Bearer {os.environ['RETEVAL_API_KEY']}",
        "Content-Type": "application/x-ndjson",
    }
    pids = find_listeners(urlsplit(service).port or 0)
    with httpx.Client(base_url=service, headers=headers, timeout=120) as client:
        for round_number in range(options.rounds):
            body = write_lines(options.upload, round_number)
            began, spent = time.perf_counter(), time.process_time()
            msgspec.json.Decoder(Query).decode_lines(body)
            decoded = time.perf_counter() - began, time.process_time() - spent
            began, spent = time.perf_counter(), sum(map(read_cpu_s, pids))
            answer = client.post("/v1/test-sets", content=body, params={"name": "big"})
            stored = time.perf_counter() - began, sum(map(read_cpu_s, pids)) - spent
            assert answer.is_success, answer.text  # noqa: S101
            rows.append((*stored, *decoded))
    wall, cpu, bare_wall, bare_cpu = (statistics.median(one) for one in zip(*rows, strict=True))
    print(f"upload of {options.upload} queries, {len(body) / 1e6:.1f} MB")
    print(f"{'way':9}{'CPU s':>9}{'clock s':>9}{'us/query':>10}")
    for way, seconds, clock in (("service", cpu, wall), ("bare", bare_cpu, bare_wall)):
        print(f"{way:9}{seconds:9.3f}{clock:9.3f}{1e6 * seconds / options.upload:10.2f}")
    return statistics.median(spent / bare for _, spent, _, bare in rows)


def write_lines(count: int, mark: int) -> bytes:
    """Write so many queries a line each; another mark makes it another set."""
    queries = (
        {"query": f"how do I reset part {n} of {mark}", "relevant_ids": [f"d{n}"]}
        for n in range(count)
    )
    return b"".join(msgspec.json.encode(one) + b"\n" for one in queries)


if __name__ == "__main__":
    sys.exit(main())
