"""What reading a test set costs in each major format, beside a bare parse of the same bytes.

50,000 queries, as many as a set may have, with 1,000,000 judgments, made by a seed, are written as
TREC topics and qrels (once more with each query's judgments all over the file), as BEIR's three
files, as CSV, as RankLib and as our own lines. Each is read in a process of its own: first barely
(lines split, cells or JSON decoded, nothing kept), then by the service's readers up to the checked
queries that would be stored. Best of the rounds.

Memory is how far a process grows while reading files of 250,000 and of 2,000,000 judgments: the
most of the two, and what a further byte of a file adds.
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

SHARES = {
    "trec": 0.02,
    "scattered": 0.01,
    "beir": 0.02,
    "csv": 0.05,
    "ranklib": 0.04,
    "ndjson": 0.04,
}
"""Least share of the bare parse's speed; the rest is checking, grouping, hashing, counting."""
GROWTH = 0.2
"""Most bytes of memory that a further byte of a file takes."""
MEMORY_MB = 48.0
"""Most that reading a file of any size takes; 50,000 ids and digests of texts among it."""
WORDS = "how do I reset change export invoice password account refund order team key".split()  # noqa: SIM905


def main() -> int:
    """Print the table, then a line a figure; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=50_000)
    parser.add_argument("--judgments", type=int, nargs=3, default=[5, 20, 40], help="of a query")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=[*SHARES], help="measure it here; used by itself")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.format:
        print(json.dumps(measure(options.format, options.folder)))
        return 0
    few, usual, many = (
        measure_all(options.queries, judgments, rounds)
        for judgments, rounds in zip(options.judgments, (1, options.rounds, 1), strict=True)
    )
    print(f"{'format':9} {'MB':>6} {'bare MB/s':>10} {'read MB/s':>10} {'share':>6} {'memory':>20}")
    figures = []
    for name, share in SHARES.items():
        size, bare, whole = (usual[name][key] for key in ("bytes", "bare_s", "read_s"))
        grown = [found[name]["growth"] / 1e6 for found in (few, usual, many)]
        rates = f"{size / bare / 1e6:10.1f} {size / whole / 1e6:10.1f} {bare / whole:6.3f}"
        print(f"{name:9} {size / 1e6:6.1f} {rates}  {' '.join(f'{mb:6.1f}' for mb in grown)}")
        further = many[name]["bytes"] - few[name]["bytes"]
        figures += [
            (f"ingest_share_{name}", bare / whole, ">=", share),
            (f"ingest_memory_mb_{name}", max(grown), "<=", MEMORY_MB),
            (f"ingest_memory_growth_{name}", (grown[-1] - grown[0]) * 1e6 / further, "<=", GROWTH),
        ]
    for figure, value, sign, goal in figures:
        print(f"figure {figure} {value:.3f} goal {sign} {goal}")
    return int(
        any(value < goal if sign == ">=" else value > goal for _, value, sign, goal in figures)
    )


def measure_all(queries: int, judgments: int, rounds: int) -> dict[str, dict[str, float]]:
    """Measure each format with so many judgments a query; the best of the rounds."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), queries, judgments)
        found = {name: [apart(name, folder) for _ in range(rounds)] for name in SHARES}
    return {
        name: {key: min(one[key] for one in several) for key in several[0]}
        for name, several in found.items()
    }


def write(folder: Path, queries: int, judgments: int) -> None:
    """Write the same set in each format."""
    draw = random.Random(8)  # noqa: S311 - repeatable, not secret
    names = ("topics", "qrels", "scattered", "queries", "tsv", "corpus", "csv", "ranklib", "ndjson")
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
    for place in range(judgments):
        for number in range(queries):
            out["scattered"].write(f"{number} 0 doc-{number * 7 + place:07} {place % 3 + 1}\n")
    for file in out.values():
        file.close()


FILES = {
    "trec": ("topics", "qrels"),
    "scattered": ("topics", "scattered"),
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
    "scattered": split_lines,
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
