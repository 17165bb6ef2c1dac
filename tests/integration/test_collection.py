import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytrec_eval

from reteval import Client
from tests.service_process import ROOT

MEASURES = {
    "mrr": "recip_rank",
    "map": "map",
    **{f"map@{k}": f"map_cut_{k}" for k in (5, 10)},
    **{f"recall@{k}": f"recall_{k}" for k in (1, 5, 10, 100)},
    **{f"precision@{k}": f"P_{k}" for k in (1, 5, 10)},
    **{f"hit_rate@{k}": f"success_{k}" for k in (1, 5, 10)},
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (1, 5, 10, 100)},
}


@contextmanager
def serve_documents(path: Path) -> Iterator[str]:
    """Serve a collection by SQLite full-text search over HTTP."""
    words = [sys.executable, str(ROOT / "examples" / "endpoint.py"), "--documents", str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()


def write_documents(collection: Path, target: Path) -> None:
    """Write SciFact's abstracts in the form that the endpoint reads."""
    with (
        gzip.open(collection / "corpus.jsonl.gz", "rt", encoding="utf-8") as corpus,
        target.open("w", encoding="utf-8") as documents,
    ):
        for line in corpus:
            row = json.loads(line)
            kept = {"id": row["_id"], "title": row["title"], "text": row["text"]}
            documents.write(json.dumps(kept) + "\n")


def read_trec(archive: zipfile.ZipFile, name: str) -> dict[str, dict[str, float]]:
    """Read qrels or a run: document and value by query."""
    rows: dict[str, dict[str, float]] = {}
    for line in archive.read(name).decode().splitlines():
        fields = line.split()
        value = fields[3] if len(fields) == 4 else fields[4]
        rows.setdefault(fields[0], {})[fields[2]] = float(value)
    return rows


def test_real_collection_agrees_with_trec_eval(
    client: Client, shared_data: Path, tmp_path: Path
) -> None:
    """On SciFact, served by SQLite, every mean and every query's value is pytrec_eval's."""
    collection = shared_data / "scifact"
    write_documents(collection, tmp_path / "documents.jsonl")
    topics = tmp_path / "topics.tsv"
    topics.write_bytes(
        gzip.decompress((collection / "topics.beir-v1.0.0-scifact.test.tsv.gz").read_bytes())
    )
    test_set = client.upload_trec(
        topics, collection / "qrels.beir-v1.0.0-scifact.test.txt", name="scifact"
    )
    with serve_documents(tmp_path / "documents.jsonl") as url:
        run = client.run(
            {
                "test_set": test_set.id,
                "endpoint": {"url": url},
                "metrics": list(MEASURES),
                "depth": 100,
            }
        )
        client.wait(run.id, timeout_s=120)
    report = client.results(run.id)
    with zipfile.ZipFile(io.BytesIO(client.export(run.id, "trec"))) as archive:
        qrels = read_trec(archive, "qrels.trec")
        ranked = read_trec(archive, "run.trec")
    judged = {query: {doc: int(g) for doc, g in row.items()} for query, row in qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES.values()))
    oracle = evaluator.evaluate({query: ranked.get(query, {}) for query in judged})
    assert report.metrics is not None
    assert report.counts.ok + report.counts.ok_empty == len(oracle) == 300
    for metric, measure in MEASURES.items():
        mean = sum(row[measure] for row in oracle.values()) / len(oracle)
        assert report.metrics[metric].mean == pytest.approx(mean, abs=1e-9)
    for row in client.query_rows(run.id):
        wanted = {metric: oracle[row.query_id][measure] for metric, measure in MEASURES.items()}
        assert row.metrics == pytest.approx(wanted, abs=1e-9)
