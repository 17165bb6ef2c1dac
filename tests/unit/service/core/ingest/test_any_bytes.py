"""Readers of uploads before anything at all: they read it, or refuse it as the caller's mistake."""

import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reteval.contract.imports import ImportOptions, Texts
from reteval.contract.testsets import TestSetHead
from service.api.decompression import inflate
from service.core.gates.files import read_yaml
from service.core.ingest.formats.files import File
from service.core.ingest.formats.reading import read_import
from service.core.ingest.json_body import read_json
from service.core.ingest.ndjson import read_ndjson
from service.core.ingest.rankings import read_rankings
from service.errors import ServiceError
from tests.unit.service.core.ingest.bodies import file

Bytes = st.binary(max_size=200)
TOKENS = [
    *rb"""{ } [ ] " : , # &a *a !!x - \u0000 \ud800 "query" "relevant_ids" "queries" "id" "ids"
    "grades" "query_id" 1 -1 1e400 null true NaN query,docid,rating <top> </top> <num>""".split(),
    *(b"\n", b"\r\n", b"\t", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xc0\x80", b"9" * 40),
    *(b"q1 0 d1 1", b"q1 Q0 d1 1 2.5 run", b"<title>", "é\u2028\u202e".encode()),
]
ANYTHING = Bytes | st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join)
pytestmark = pytest.mark.no_cover
often = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


async def pieces(body: bytes, size: int) -> AsyncIterator[bytes]:
    """Yield a body in pieces of a size."""
    for start in range(0, len(body), size):
        yield body[start : start + size]


def drain_json(body: bytes) -> None:
    """Read a JSON upload to the end."""
    _, rows = read_json(body)
    list(rows)


def drain(*files: File) -> None:
    """Read files of any format to the end."""
    found = read_import(files, ImportOptions(texts=Texts.IDS), TestSetHead())
    list(found.located())
    found.warnings()


READERS: dict[str, Callable[[bytes], Any]] = {
    "json": drain_json,
    "import": lambda body: drain(file(body)),
    "rankings": lambda body: list(read_rankings(body)),
    "gate": read_yaml,
}


@pytest.mark.parametrize("name", READERS)
@often
@given(body=ANYTHING)
def test_body_is_read_or_refused(name: str, body: bytes) -> None:
    """No bytes make a reader fail in a way that is the service's."""
    with suppress(ServiceError):
        READERS[name](body)


@often
@given(topics=ANYTHING, qrels=ANYTHING)
def test_topics_and_judgments_are_read_or_refused(topics: bytes, qrels: bytes) -> None:
    """The same for the two files of TREC."""
    with suppress(ServiceError):
        drain(file(topics, "t", "topics"), file(qrels, "q", "qrels"))


@often
@given(body=ANYTHING, size=st.integers(1, 50))
@example(body=b"\xef\xbb\xbf\xef\xbb\xbf", size=1)  # only the first is a mark
async def test_lines_are_read_or_refused_alike_in_any_pieces(body: bytes, size: int) -> None:
    """A stream of lines gives the same rows, or the same refusal, however it is cut."""
    assert await outcome(read_ndjson(pieces(body, size))) == await outcome(
        read_ndjson(pieces(body, 1_000_000))
    )


@often
@given(body=Bytes, size=st.integers(1, 50))
async def test_packed_body_is_unpacked_or_refused(body: bytes, size: int) -> None:
    """Any bytes that are no gzip are refused; those that are come back, however they are cut."""
    await outcome(inflate(pieces(body, size)))
    packed = gzip.compress(body)
    assert b"".join([part async for part in inflate(pieces(packed, size))]) == body


async def outcome(rows: AsyncIterator[Any]) -> list[Any]:
    """Return what a stream yields, and how it is refused if it is."""
    found: list[Any] = []
    try:
        async for row in rows:
            found.append(row)  # noqa: PERF401 - what came before a refusal counts
    except ServiceError as exc:
        found.append((exc.code, exc.errors))
    return found
