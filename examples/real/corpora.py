"""Public collections as they lie on disk: documents, topics and judgments."""

import gzip
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Document(NamedTuple):
    """What the servers index."""

    id: str
    title: str
    text: str


class Corpus(NamedTuple):
    """A collection; `folder` holds what a server may want to index as it is."""

    name: str
    folder: Path
    documents: list[Document]
    topics: dict[str, str]
    qrels: dict[str, dict[str, int]]

    def test_set(self) -> dict[str, Any]:
        """Return the upload: the queries that somebody judged."""
        return {
            "name": self.name,
            "scale": {"max": 4},
            "allow_unscorable": True,
            "queries": [
                {
                    "id": topic,
                    "query": text,
                    "relevant": [
                        {"id": document, "grade": grade}
                        for document, grade in self.qrels[topic].items()
                    ],
                }
                for topic, text in self.topics.items()
                if topic in self.qrels
            ],
        }


def read_corpus(name: str, data: Path) -> Corpus:
    """Read a collection by its name."""
    return {"cranfield": read_cranfield, "scifact": read_scifact, "cacm": read_cacm}[name](
        data / name
    )


def read_cranfield(folder: Path) -> Corpus:
    """Read Cranfield; its judgments count the queries and do not use their numbers."""
    with gzip.open(folder / "cran.all.1400.gz", "rt", encoding="latin-1") as file:
        documents = [
            Document(number, _join(fields.get("T", "")), _join(fields.get("W", "")))
            for number, fields in _read_smart(file.read())
        ]
    topics = _read_smart((folder / "cran.qry").read_text(encoding="latin-1"))
    texts = {str(place): _join(fields["W"]) for place, (_, fields) in enumerate(topics, start=1)}
    rows = (line.split() for line in (folder / "cranqrel").read_text().splitlines())
    qrels = _gather((row[0], row[1], row[2]) for row in rows if row)
    return Corpus("cranfield", folder, documents, texts, qrels)


def read_scifact(folder: Path) -> Corpus:
    """Read SciFact in the layout of BEIR."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    documents = [Document(str(row["_id"]), row["title"], row["text"]) for row in rows]
    with gzip.open(
        folder / "topics.beir-v1.0.0-scifact.test.tsv.gz", "rt", encoding="utf-8"
    ) as file:
        topics = dict(line.rstrip("\n").split("\t", 1) for line in file)
    qrels = _read_qrels(folder / "qrels.beir-v1.0.0-scifact.test.txt")
    return Corpus("scifact", folder, documents, topics, qrels)


def read_cacm(folder: Path) -> Corpus:
    """Read CACM, whose documents are web pages in one archive."""
    documents = []
    with tarfile.open(folder / "cacm.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith(".html"):
                page = file.read().decode("latin-1")
                text = _join(re.sub(r"<[^>]*>", " ", page))
                documents.append(Document(Path(member.name).stem, "", text))
    parts = (folder / "topics.cacm.txt").read_text(encoding="latin-1").split("<DOC>")[1:]
    topics = {}
    for part in parts:
        number, _, text = part.partition("</DOCNO>")
        topics[number.split("<DOCNO>")[1].strip()] = _join(text.replace("</DOC>", " "))
    return Corpus("cacm", folder, documents, topics, _read_qrels(folder / "qrels.cacm.txt"))


def _read_smart(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each record of a SMART file: its number and its fields by letter."""
    for record in re.split(r"^\.I ", text, flags=re.MULTILINE)[1:]:
        number, _, rest = record.partition("\n")
        fields = re.split(r"^\.([A-Z])\s*$", rest, flags=re.MULTILINE)
        yield number.strip(), dict(zip(fields[1::2], fields[2::2], strict=True))


def _read_qrels(path: Path) -> dict[str, dict[str, int]]:
    rows = (line.split() for line in path.read_text().splitlines())
    return _gather((row[0], row[2], row[3]) for row in rows if row)


def _gather(rows: Iterator[tuple[str, str, str]]) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in rows:
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def _join(text: str) -> str:
    return " ".join(text.split())
