"""Test sets as bodies in each format, and the way through the door for each."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from reteval.contract.imports import ImportOptions
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.draft import Draft, ingest
from service.core.ingest.formats.files import File
from service.core.ingest.formats.reading import Import, read_import
from service.core.ingest.json_body import read_json
from service.core.ingest.located import Located
from service.core.ingest.ndjson import read_ndjson
from service.errors import InvalidError

DATA = Path(__file__).parents[6] / "shared" / "data"
HEAD = TestSetHead()
LAX = TestSetHead(allow_unscorable=True)


def query(text: str = "q", **fields: Any) -> dict[str, Any]:
    """A query as JSON, with one relevant document unless told otherwise."""
    body: dict[str, Any] = {"query": text}
    if not {"relevant", "relevant_ids", "expect", "parent"} & set(fields):
        body["relevant_ids"] = ["d"]
    return body | fields


def json_body(*queries: Any, **head: Any) -> bytes:
    """An upload as one JSON object."""
    return json.dumps(head | {"queries": list(queries)}).encode()


def lines(*queries: Any) -> bytes:
    """An upload as NDJSON."""
    return "".join(json.dumps(one) + "\n" for one in queries).encode()


async def in_chunks(body: bytes, size: int = 1 << 16) -> AsyncIterator[bytes]:
    """A body as a server hands it over."""
    for start in range(0, len(body), size):
        yield body[start : start + size]


def take(
    located: AsyncIterator[Located] | Iterator[Located], head: TestSetHead = HEAD
) -> tuple[Draft, list[Query]]:
    """Ingest and give what was written."""
    written: list[Query] = []

    async def write(batch: list[Query]) -> None:
        written.extend(batch)

    return asyncio.run(ingest(located, head, write)), written


def take_json(body: bytes) -> tuple[Draft, list[Query]]:
    """Ingest a JSON body."""
    head, located = read_json(body)
    return take(located, head)


def take_ndjson(
    body: bytes, head: TestSetHead = HEAD, size: int = 1 << 16
) -> tuple[Draft, list[Query]]:
    """Ingest an NDJSON body that comes in chunks of `size`."""
    return take(read_ndjson(in_chunks(body, size)), head)


def file(body: bytes, name: str = "file", part: str = "") -> File:
    """A file of an upload."""
    return File(name, lambda: io.BytesIO(body), part)


def zipped(*bodies: bytes, **named: bytes) -> bytes:
    """A zip of files, named by their places or as told."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in {**{str(n): one for n, one in enumerate(bodies)}, **named}.items():
            archive.writestr(name, body)
    return out.getvalue()


def imported(
    *files: File, head: TestSetHead = HEAD, **options: Any
) -> tuple[Import, Draft, list[Query]]:
    """Read files of any format, and ingest what is in them."""
    found = read_import(files, ImportOptions(**options), head)
    found.settle()
    draft, written = take(found.located(), head)
    return found, draft, written


def take_csv(body: bytes, head: TestSetHead = HEAD, **options: Any) -> tuple[Draft, list[Query]]:
    """Ingest a table."""
    _, draft, written = imported(file(body, "table"), head=head, **options)
    return draft, written


def take_trec(
    topics: bytes, qrels: bytes, head: TestSetHead = HEAD, **options: Any
) -> tuple[Draft, list[Query]]:
    """Ingest topics and qrels."""
    parts = {"topics": topics, "qrels": qrels}
    files = [file(body, name, name) for name, body in parts.items()]
    _, draft, written = imported(*files, head=head, **options)
    return draft, written


def refusal(body: bytes) -> tuple[ProblemItem, ...]:
    """The problems for which a JSON body is refused."""
    with pytest.raises(InvalidError) as caught:
        take_json(body)
    return caught.value.errors


def only_refusal(*queries: Any, **head: Any) -> ProblemItem:
    """The one problem for which a set of queries is refused."""
    (item,) = refusal(json_body(*queries, **head))
    return item
