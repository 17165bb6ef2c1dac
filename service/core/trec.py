"""The `trec` export: a zip from which anyone recomputes a run's means with trec_eval."""

import asyncio
import re
import tempfile
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import IO, Final

from msgspec import UNSET

from reteval.contract.outcomes import OutcomeRow
from reteval.contract.testsets import Query, TestSet
from service.core.backend import Backend
from service.core.query_rows import STATUSES, Sheet, read_sheet
from service.store.chunks import SIZE

_IN_MEMORY_BYTES: Final = 8_000_000
_READ_BYTES: Final = 65_536
_EMPTY: Final = "%"
"""How an empty id is written; no other id is written so, since `%` itself becomes `%25`."""

_BREAKING: Final = re.compile(r"[%\s\x00-\x1f\x7f-\x9f]")

_README: Final = """reteval run {run}

run.trec    query Q0 document rank score run
            The score is {depth} - rank + 1: the order of the answer, never the endpoint's score.
            A document repeated in one answer is written <id>~dup<rank>, so that it keeps its
            place and gains nothing.
qrels.trec  query 0 document grade
            Only queries that were scored: failed and skipped requests are left out.

White space, control characters and % in ids are percent-encoded (an empty id is %).

trec_eval -c -l {relevant_from} -m all_trec qrels.trec run.trec

gives the means of the report (depth {depth}, relevant from grade {relevant_from}). -c counts
answered queries without any hit as 0, as the report does.
"""


async def export_trec(backend: Backend, run_id: str) -> AsyncIterator[bytes]:
    """Return a zip of `run.trec`, `qrels.trec` and `README.txt`.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    sheet = await read_sheet(backend, run_id)
    record = await backend.store.runs.get(backend.tenant, run_id)
    test_set = await backend.store.test_sets.get(backend.tenant, record.spec.test_set.id)
    return _zip(backend, run_id, sheet=sheet, test_set=test_set, depth=record.spec.depth)


async def export_test_set(backend: Backend, test_set: TestSet) -> AsyncIterator[bytes]:
    """Yield a zip of `topics.tsv` (id, tab, text on one line) and `qrels.trec`."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, write in (("topics.tsv", write_topics), ("qrels.trec", write_qrels)):
                with archive.open(name, "w", force_zip64=True) as entry:
                    chunks = backend.store.test_sets.chunks(backend.tenant, test_set.id)
                    async for queries in chunks:
                        await asyncio.to_thread(entry.write, write(queries).encode())
        async for block in _read_out(spool):
            yield block


def write_topics(queries: Sequence[Query]) -> str:
    """Write queries as lines of id, tab and text; white space in a text becomes one blank."""
    return "".join(f"{encode_id(query.id)}\t{' '.join(query.query.split())}\n" for query in queries)


def write_run(rows: Sequence[OutcomeRow], *, depth: int, tag: str) -> str:
    """Write rankings as lines of a TREC run."""
    return "".join(line for row in rows for line in _run_lines(row, depth, tag))


def write_qrels(queries: Sequence[Query]) -> str:
    """Write judgments as lines of TREC qrels."""
    return "".join(
        f"{encode_id(query.id)} 0 {encode_id(str(judgment.id))} {judgment.grade}\n"
        for query in queries
        if query.relevant is not UNSET
        for judgment in query.relevant
    )


def encode_id(text: str) -> str:
    """Percent-encode what would break a column, so that distinct ids stay distinct."""
    if not text:
        return _EMPTY
    return _BREAKING.sub(_encode_char, text).replace("~dup", "%7Edup")


def _run_lines(row: OutcomeRow, depth: int, tag: str) -> Iterator[str]:
    query = encode_id(row.query_id)
    seen: set[str] = set()
    for rank, doc in enumerate(row.outcome.ids, start=1):
        name = f"{encode_id(doc)}~dup{rank}" if doc in seen else encode_id(doc)
        seen.add(doc)
        yield f"{query} Q0 {name} {rank} {depth - rank + 1} {tag}\n"


def _encode_char(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


async def _zip(
    backend: Backend, run_id: str, *, sheet: Sheet, test_set: TestSet, depth: int
) -> AsyncIterator[bytes]:
    """Write the archive to a spooled file in threads, then read it out."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
            readme = _README.format(run=run_id, depth=depth, relevant_from=test_set.relevant_from)
            # Without a time of its own, so that the same run is always the same bytes.
            archive.writestr(zipfile.ZipInfo("README.txt"), readme, zipfile.ZIP_DEFLATED)
            with archive.open("run.trec", "w", force_zip64=True) as entry:
                await _write_runs(backend, run_id, entry=entry, sheet=sheet, depth=depth)
            scored = await _scored_ids(backend, run_id, sheet)
            with archive.open("qrels.trec", "w", force_zip64=True) as entry:
                await _write_qrels(backend, test_set.id, entry=entry, scored=scored)
        async for block in _read_out(spool):
            yield block


async def _read_out(spool: IO[bytes]) -> AsyncIterator[bytes]:
    spool.seek(0)
    while block := await asyncio.to_thread(spool.read, _READ_BYTES):
        yield block


async def _write_runs(
    backend: Backend, run_id: str, *, entry: IO[bytes], sheet: Sheet, depth: int
) -> None:
    outcomes = backend.store.outcomes
    for start in range(0, sheet.scorable, SIZE):
        stop = min(sheet.scorable, start + SIZE)
        rows = await outcomes.rows(backend.tenant, run_id, start=start, stop=stop)
        text = await asyncio.to_thread(write_run, rows, depth=depth, tag=run_id)
        await asyncio.to_thread(entry.write, text.encode())


async def _write_qrels(
    backend: Backend, test_set_id: str, *, entry: IO[bytes], scored: set[str]
) -> None:
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set_id):
        wanted = [query for query in queries if query.id in scored]
        await asyncio.to_thread(entry.write, write_qrels(wanted).encode())


async def _scored_ids(backend: Backend, run_id: str, sheet: Sheet) -> set[str]:
    """Return the ids of the scorable queries that were answered."""
    scored: set[str] = set()
    for start in range(0, sheet.scorable, SIZE):
        stop = min(sheet.scorable, start + SIZE)
        requests = await backend.store.outcomes.requests(
            backend.tenant, run_id, start=start, stop=stop
        )
        scored.update(
            request.query_id
            for place, request in enumerate(requests, start=start)
            if STATUSES[sheet.statuses[place]].answered
        )
    return scored
