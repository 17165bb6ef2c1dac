"""Exports as text: CSV that no spreadsheet executes, JSON lines, and streams of test sets."""

import csv
import io
from collections.abc import AsyncIterator, Iterable
from typing import Final

import msgspec

from reteval.contract.outcomes import QueryRow
from reteval.contract.testsets import TestSet
from service.core.backend import Backend
from service.core.query_rows import Sheet, build_row, read_sheet
from service.store.chunks import SIZE

_FIXED: Final = ("query_id", "query", "status", "reason", "returned", "latency_ms", "tags")
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


async def export_csv(backend: Backend, run_id: str) -> AsyncIterator[bytes]:
    """Return the run's per-query rows as CSV, a header first.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    sheet = await read_sheet(backend, run_id)
    return _csv_chunks(backend, run_id, sheet)


async def export_jsonl(backend: Backend, run_id: str) -> AsyncIterator[bytes]:
    """Return the run's per-query rows, a JSON object a line.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    sheet = await read_sheet(backend, run_id)
    return _jsonl_chunks(backend, run_id, sheet)


async def export_queries(backend: Backend, test_set: TestSet) -> AsyncIterator[bytes]:
    """Yield a test set as JSON lines that can be uploaded again."""
    encoder = msgspec.json.Encoder()
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set.id):
        yield encoder.encode_lines(queries)


def write_csv(rows: Iterable[QueryRow], metrics: Iterable[str]) -> str:
    """Write rows as CSV lines; text a spreadsheet would take for a formula gets a quote."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    names = tuple(metrics)
    for row in rows:
        texts = (row.query_id, row.query, row.status, row.reason or "")
        numbers = (row.returned, "" if row.latency_ms is None else row.latency_ms)
        values = ("" if (value := row.metrics[name]) is None else value for name in names)
        tags = ";".join(row.tags)
        writer.writerow([*map(disarm, texts), *numbers, disarm(tags), *values])
    return buffer.getvalue()


def disarm(text: str) -> str:
    """Put a quote before text that a spreadsheet would execute."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


async def _csv_chunks(backend: Backend, run_id: str, sheet: Sheet) -> AsyncIterator[bytes]:
    yield f"{','.join((*_FIXED, *sheet.columns))}\r\n".encode()
    async for rows in _row_chunks(backend, run_id, sheet):
        yield write_csv(rows, sheet.columns).encode()


async def _jsonl_chunks(backend: Backend, run_id: str, sheet: Sheet) -> AsyncIterator[bytes]:
    encoder = msgspec.json.Encoder()
    async for rows in _row_chunks(backend, run_id, sheet):
        yield encoder.encode_lines(rows)


async def _row_chunks(backend: Backend, run_id: str, sheet: Sheet) -> AsyncIterator[list[QueryRow]]:
    for start in range(0, sheet.clean, SIZE):
        stop = min(sheet.clean, start + SIZE)
        rows = await backend.store.outcomes.rows(backend.tenant, run_id, start=start, stop=stop)
        yield [build_row(sheet, start + nth, row) for nth, row in enumerate(rows)]
