"""What reading a test set costs in each major format, beside a bare parse of the same bytes.

50,000 queries with 1,000,000 judgments, made by a seed, are written as TREC topics and qrels, as
BEIR's three files, as CSV, as RankLib and as our own lines. Each is read in a process of its own:
first barely (lines split, cells or JSON decoded, nothing kept), then by the service's readers up
to the checked queries that would be stored. Best of the rounds; memory is how far the process
grows while reading, beside the bytes of the files.
"""

import argparse
import asyncio
import csv
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec

from reteval.contract.imports import ImportOptions
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.draft import Draft, ingest
from service.core.ingest.formats.files import File
from service.core.ingest.formats.reading import read_import
from service.core.ingest.ndjson import read_ndjson

SHARES = {"trec": 0.02, "beir": 0.02, "csv": 0.05, "ranklib": 0.04, "ndjson": 0.04}
"""Least share of the bare parse's speed; the rest is checking, grouping, hashing, counting."""
GROWTH = {"trec": 4.0, "beir": 5.0, "csv": 1.5, "ranklib": 1.5, "ndjson": 0.7}
"""Most growth of the process, in sizes of the files. Lines of ours are streamed and leave ids and
digests; other formats scatter a query, so that 73 bytes a judgment are held until all are known."""
WORDS = "how do I reset change export invoice password account refund order team key".split()  # noqa: SIM905


def main() -> int:
    """Print the table, then a line a figure; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=50_000)
    parser.add_argument("--judgments", type=int, default=20, help="of a query")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=[*SHARES], help="measure it here; used by itself")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.format:
        print(json.dumps(measure(options.format, options.folder)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), options.queries, options.judgments)
        rounds = {name: [apart(name, folder) for _ in range(options.rounds)] for name in SHARES}
    print(f"{'format':8} {'MB':>6} {'bare MB/s':>10} {'read MB/s':>10} {'share':>6} {'growth':>7}")
    missed = 0
    for name, found in rounds.items():
        size = found[0]["bytes"]
        bare, whole = min(one["bare_s"] for one in found), min(one["read_s"] for one in found)
        growth = min(one["growth"] for one in found) / size
        rates = f"{size / bare / 1e6:10.1f} {size / whole / 1e6:10.1f}"
        print(f"{name:8} {size / 1e6:6.1f} {rates} {bare / whole:6.3f} {growth:7.2f}")
    for name, found in rounds.items():
        share = min(one["bare_s"] for one in found) / min(one["read_s"] for one in found)
        growth = min(one["growth"] for one in found) / found[0]["bytes"]
        print(f"figure ingest_share_{name} {share:.3f} goal >= {SHARES[name]}")
        print(f"figure ingest_growth_{name} {growth:.3f} goal <= {GROWTH[name]}")
        missed += share < SHARES[name] or growth > GROWTH[name]
    return int(missed > 0)


def write(folder: Path, queries: int, judgments: int) -> None:
    """Write the same set in each format."""
    draw = random.Random(8)  # noqa: S311 - repeatable, not secret
    names = ("topics", "qrels", "queries", "tsv", "corpus", "csv", "ranklib", "ndjson")
    out = {name: (folder / name).open("w", encoding="utf-8", newline="") for name in names}
    table = csv.writer(out["csv"])
    table.writerow(["query_id", "query", "docid", "rating"])
    out["tsv"].write("query-id\tcorpus-id\tscore\n")
    for number in range(queries):
        text = f"{' '.join(draw.choices(WORDS, k=6))} {number}"
        out["topics"].write(f"{number}\t{text}\n")
        out["queries"].write(json.dumps({"_id": str(number), "text": text}) + "\n")
        relevant = []
        for place in range(judgments):
            document, grade = f"doc-{number * 7 + place:07}", draw.randrange(3) + (place == 0)
            out["qrels"].write(f"{number} 0 {document} {grade}\n")
            out["tsv"].write(f"{number}\t{document}\t{grade}\n")
            table.writerow([number, text, document, grade])
            out["ranklib"].write(f"{grade} qid:{number} # {document} {text}\n")
            relevant.append({"id": document, "grade": grade})
        out["corpus"].write(
            json.dumps({"_id": f"doc-{number:07}", "title": "", "text": text}) + "\n"
        )
        line = {"id": str(number), "query": text, "relevant": relevant}
        out["ndjson"].write(json.dumps(line) + "\n")
    for file in out.values():
        file.close()


FILES = {
    "trec": ("topics", "qrels"),
    "beir": ("queries", "tsv", "corpus"),
    "csv": ("csv",),
    "ranklib": ("ranklib",),
    "ndjson": ("ndjson",),
}


def apart(name: str, folder: str) -> dict[str, float]:
    """Measure a format in a process of its own."""
    words = [sys.executable, __file__, "--format", name, "--folder", folder]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(name: str, folder: Path) -> dict[str, float]:
    """Time a bare parse and a whole reading, and how far the latter grows the process."""
    paths = [folder / one for one in FILES[name]]
    start = time.process_time()
    for path in paths:
        BARE[path.name](path)
    bare_s = time.process_time() - start
    before, start = peak(), time.process_time()
    draft = asyncio.run(read(name, paths))
    read_s = time.process_time() - start
    assert draft.stats.judgments  # noqa: S101 - a benchmark of nothing is none
    size = sum(path.stat().st_size for path in paths)
    return {"bytes": size, "bare_s": bare_s, "read_s": read_s, "growth": peak() - before}


async def read(name: str, paths: list[Path]) -> Draft:
    """Read files as the service does, and drop what it would store."""
    head = TestSetHead(allow_unscorable=True)
    if name == "ndjson":
        return await ingest(read_ndjson(chunks(paths[0])), head, drop)
    files = [File(path.name, lambda path=path: path.open("rb")) for path in paths]
    found = read_import(files, ImportOptions(), head)
    draft = await ingest(found.located(), head, drop)
    found.warnings()
    return draft


async def chunks(path: Path) -> AsyncIterator[bytes]:
    """Yield a file as a server hands a body over."""
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 16):
            yield chunk


async def drop(batch: list[Query]) -> None:
    """Store nothing."""


def split_lines(path: Path) -> None:
    """Split every line at blanks."""
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            line.split()


def split_cells(path: Path) -> None:
    """Split every row of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        for _ in csv.reader(stream, delimiter="\t" if path.name == "tsv" else ","):
            pass


def decode_lines(path: Path) -> None:
    """Decode every line as JSON."""
    decode = msgspec.json.Decoder().decode
    with path.open("rb") as stream:
        for line in io.BufferedReader(stream.raw):
            decode(line)


BARE: dict[str, Callable[[Path], None]] = {
    "topics": split_lines,
    "qrels": split_lines,
    "ranklib": split_lines,
    "csv": split_cells,
    "tsv": split_cells,
    "queries": decode_lines,
    "corpus": decode_lines,
    "ndjson": decode_lines,
}


def peak() -> int:
    """Return the most memory that the process had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1_024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    sys.exit(main())
