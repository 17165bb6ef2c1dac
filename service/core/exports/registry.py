"""Every format a test set can be written as, and how it goes out."""

from collections.abc import AsyncIterator
from typing import Final

from msgspec import Struct

from reteval.contract.exports import ExportFormat, Loss
from reteval.contract.testsets import Query, TestSet
from service.core.backend import Backend
from service.core.exports.beir import BEIR
from service.core.exports.elasticsearch import RANK_EVAL
from service.core.exports.layout import ZIP, Layout
from service.core.exports.lines import JSONL
from service.core.exports.losses import find_losses
from service.core.exports.opensearch import SRW
from service.core.exports.quepid_case import QUEPID_CASE
from service.core.exports.rag import LLAMAINDEX, RAGAS
from service.core.exports.ranklib import RANKLIB
from service.core.exports.ranx import RANX
from service.core.exports.rre import RRE
from service.core.exports.streaming import Source, stream_archive, stream_file
from service.core.exports.tables import CSV, IR_MEASURES, QUEPID
from service.core.exports.trec import TREC

LAYOUTS: Final[dict[ExportFormat, Layout]] = {
    ExportFormat.JSONL: JSONL,
    ExportFormat.CSV: CSV,
    ExportFormat.TREC: TREC,
    ExportFormat.BEIR: BEIR,
    ExportFormat.RANX: RANX,
    ExportFormat.IR_MEASURES: IR_MEASURES,
    ExportFormat.QUEPID: QUEPID,
    ExportFormat.QUEPID_CASE: QUEPID_CASE,
    ExportFormat.RANKLIB: RANKLIB,
    ExportFormat.RRE: RRE,
    ExportFormat.SRW: SRW,
    ExportFormat.RANK_EVAL: RANK_EVAL,
    ExportFormat.LLAMAINDEX: LLAMAINDEX,
    ExportFormat.RAGAS: RAGAS,
}


class Export(Struct, frozen=True, kw_only=True):
    """A test set on its way out, and what of it is left behind."""

    layout: Layout
    lost: tuple[Loss, ...]
    chunks: AsyncIterator[bytes]


async def export_test_set(
    backend: Backend, test_set: TestSet, name: ExportFormat, *, index: str
) -> Export:
    """Write a test set in a format; `index` is where its documents are, for those that say so.

    Its queries are read once to find what would be lost, and again as they are written.
    """

    def read() -> AsyncIterator[list[Query]]:
        return backend.store.test_sets.chunks(backend.tenant, test_set.id)

    layout = LAYOUTS[name]
    source = Source(test_set=test_set, index=index, read=read)
    lost = await find_losses(test_set, layout.losses, read())
    if layout.ending == ZIP:
        return Export(layout=layout, lost=lost, chunks=stream_archive(source, layout, lost))
    (file,) = layout.files
    return Export(layout=layout, lost=lost, chunks=stream_file(source, file))
