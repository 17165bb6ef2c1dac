"""What both clients offer about test sets as files of other tools."""

from typing import Final

from msgspec import Struct

from reteval import _flows
from reteval._async_sender import AsyncSender
from reteval._flows import Flow
from reteval._requests import Call, get_from, segment
from reteval._sender import Sender
from reteval.contract.exports import LOST_HEADER, ExportFormat
from reteval.retries import Retry

_DEFAULT: Final = ExportFormat.JSONL


class ExportedSet(Struct, frozen=True, kw_only=True):
    """A test set as a file, and what of it the format has no place for."""

    content: bytes
    lost: tuple[str, ...]


class Exporter(Sender):
    """A sender that downloads test sets."""

    def export_test_set(
        self,
        test_set: str,
        export_format: ExportFormat | str = _DEFAULT,
        *,
        index: str | None = None,
    ) -> ExportedSet:
        """Return a test set in a file format; `index` is where `rank_eval` has the documents."""
        call = get_set_export(test_set, export_format, index)
        return self._drive(fetch_export(call, self._pace.retry))


class AsyncExporter(AsyncSender):
    """`Exporter` for asyncio."""

    async def export_test_set(
        self,
        test_set: str,
        export_format: ExportFormat | str = _DEFAULT,
        *,
        index: str | None = None,
    ) -> ExportedSet:
        """Return a test set in a file format, as `Client.export_test_set` does."""
        call = get_set_export(test_set, export_format, index)
        return await self._drive(fetch_export(call, self._pace.retry))


def get_set_export(test_set: str, export_format: str, index: str | None) -> Call[bytes]:
    """Read a test set in a file format."""
    path = f"/v1/test-sets/{segment(test_set)}/export"
    return get_from(path, bytes, accept="*/*", format=str(export_format), index=index)


def fetch_export(call: Call[bytes], retry: Retry) -> Flow[ExportedSet]:
    """Download a file with what its header says is missing in it."""
    content, headers = yield from _flows.exchange_whole(call, retry)
    names = headers.get(LOST_HEADER.lower(), "").split(", ")
    return ExportedSet(content=content, lost=tuple(name for name in names if name))
