"""Parquet tables, where the extra `parquet` is installed: AutoRAG's, ranx's and MTEB's."""

import importlib
from collections.abc import Iterator
from typing import Any, Final

from reteval.contract.limits import MAX_DOCUMENT_BYTES
from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain
from service.core.ingest.formats.layouts import SHAPES
from service.core.ingest.formats.records import read_record
from service.core.ingest.formats.rows import Asked, Known, Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample
from service.core.ingest.formats.tables import find_table
from service.errors import MalformedTextError, TooLargeError, UnsupportedMediaTypeError

_MOST_ROWS: Final = 2_000_000


def _detect(sample: Sample) -> Likeness | None:
    return certain("it begins with PAR1") if sample.is_parquet else None


def _read(opened: Opened) -> Iterator[Row]:
    if opened.file.read(MAX_DOCUMENT_BYTES + 1)[MAX_DOCUMENT_BYTES:]:
        raise TooLargeError(f"{opened.file.name} is over {MAX_DOCUMENT_BYTES:,} bytes: split it.")
    for at, record in enumerate(_records(opened), 1):
        yield from _row(record, at)


def _row(record: dict[str, Any], at: int) -> Iterator[Row]:
    layout = next((one for shape in SHAPES for one in shape.layouts if one.fits(record)), None)
    table = find_table(sorted(record))
    name = record.get("_id", record.get("id", record.get("doc_id")))
    if layout is not None:
        yield from read_record(layout, record, at)
    elif table is not None and table.document and table.grade:
        text = str(record[table.query]) if table.query in record else None
        yield Vote(
            str(record.get(table.id, "")),
            text,
            str(record[table.document]),
            record[table.grade],
            at,
        )
    elif name is not None and {"title", "contents"} & set(record):
        yield Known(str(name))
    elif name is not None and isinstance(record.get("text"), str):
        yield Asked(str(name), record["text"], at)
    else:
        columns = ", ".join(sorted(record))[:200]
        message = f"the columns {columns} are those of no format"
        yield Misfit(at, "bad_record", message, "Send it as CSV, with columns=…")


def _records(opened: Opened) -> Iterator[dict[str, Any]]:
    parquet = _library()
    try:
        with opened.file.open() as stream:
            table = parquet.ParquetFile(_Whole(stream.read()).buffer())
            if table.metadata.num_rows > _MOST_ROWS:
                raise TooLargeError(f"{opened.file.name} has over {_MOST_ROWS:,} rows: split it.")
            for batch in table.iter_batches(batch_size=1_000):
                yield from batch.to_pylist()
    except (OSError, ValueError, KeyError, NotImplementedError) as exc:
        raise MalformedTextError(f"{opened.file.name} is damaged: {str(exc)[:200]}.") from exc


class _Whole:
    # The library reads from the end first, which what is unpacked cannot.
    def __init__(self, body: bytes) -> None:
        self._body = body

    def buffer(self) -> Any:
        return importlib.import_module("pyarrow").BufferReader(self._body)


def _library() -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as exc:
        raise UnsupportedMediaTypeError(
            "Parquet is not read by this deployment: install reteval-service[parquet], or send "
            "the table as CSV or JSON lines."
        ) from exc


FORMATS: Final = (
    Format(
        name="parquet",
        holds=Holds.BOTH,
        about="AutoRAG's qa and corpus, ranx's and MTEB's tables as Parquet; needs the extra "
        "reteval-service[parquet]",
        example="qid, query, retrieval_gt",
        detect=_detect,
        read=_read,
    ),
)
