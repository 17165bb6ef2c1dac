"""A run's rows as text: CSV that no spreadsheet executes, and JSON lines."""

from collections.abc import AsyncIterator, Iterable
from typing import Final

import msgspec

from reteval.contract.outcomes import QueryRow
from service.core.backend import Backend
from service.core.cells import write_rows
from service.core.query_rows import Sheet, build_row, read_sheet
from service.store.chunks import SIZE

_FIXED: Final = ("query_id", "query", "status", "reason", "returned", "latency_ms", "tags")


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


def write_csv(rows: Iterable[QueryRow], metrics: Iterable[str]) -> str:
    """Write rows as CSV lines; a metric without value is an empty cell."""
    names = tuple(metrics)
    return write_rows(
        [
            row.query_id,
            row.query,
            row.status,
            row.reason,
            row.returned,
            row.latency_ms,
            ";".join(row.tags),
            *(row.metrics[name] for name in names),
        ]
        for row in rows
    )


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
