"""The `trec` export: a zip from which anyone recomputes a run's means with trec_eval."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from typing import IO, Final

from reteval.contract.testsets import TestSet
from reteval.contract.trec import write_qrels, write_run
from service.core.backend import Backend
from service.core.exports.archives import add_text, stream_zip
from service.core.query_rows import STATUSES, Sheet, read_sheet
from service.store.chunks import SIZE

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


def _zip(
    backend: Backend, run_id: str, *, sheet: Sheet, test_set: TestSet, depth: int
) -> AsyncIterator[bytes]:
    async def fill(archive: zipfile.ZipFile) -> None:
        readme = _README.format(run=run_id, depth=depth, relevant_from=test_set.relevant_from)
        add_text(archive, "README.txt", readme)
        with archive.open("run.trec", "w", force_zip64=True) as entry:
            await _write_runs(backend, run_id, entry=entry, sheet=sheet, depth=depth)
        scored = await _scored_ids(backend, run_id, sheet)
        with archive.open("qrels.trec", "w", force_zip64=True) as entry:
            await _write_qrels(backend, test_set.id, entry=entry, scored=scored)

    return stream_zip(fill)


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
