"""Imports: files in any format become a test set, or a preview of one."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.imports import ImportOptions, ImportPreview, ImportRows
from reteval.contract.limits import MAX_JSON_BYTES
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead
from service.core.backend import Backend
from service.core.ingest.draft import Draft, ingest
from service.core.ingest.formats.files import File
from service.core.ingest.formats.reading import Import, read_import
from service.core.ingest.json_body import read_json
from service.core.ingest.located import Located
from service.core.ingest.ndjson import read_ndjson
from service.core.test_sets import StagedSet, stage
from service.errors import InvalidError, TooLargeError

_SHOWN: Final = 5
_STEP: Final = 1 << 16
OWN_HEAD: Final = "reteval_json"


class Upload(Struct, frozen=True, kw_only=True):
    """Files, and what was said beside them. `said` names what was said of the head."""

    files: Sequence[File]
    head: TestSetHead
    options: ImportOptions
    said: frozenset[str] = frozenset()


async def stage_upload(backend: Backend, upload: Upload) -> StagedSet:
    """Read files in any format and write their queries apart; nothing of a refused one stays.

    Raises:
        MalformedTextError, MalformedJsonError: a file cannot be read at all.
        InvalidError: rows or rules that do not fit.
        TooLargeError: a file, or what is packed in it, is too long.
        UnsupportedMediaTypeError: a format that this deployment lacks the extra for.
    """
    found = await asyncio.to_thread(read_import, upload.files, upload.options, upload.head)
    found.settle()
    located, head = await _queries(found, upload, strict=True)
    staged = await stage(backend, head, located)
    try:
        return structs.replace(staged, draft=await _warned(found, staged.draft))
    except BaseException:
        await staged.discard()
        raise


async def preview_upload(upload: Upload) -> ImportPreview:
    """Tell what files would become, storing nothing.

    Raises:
        MalformedTextError, MalformedJsonError, TooLargeError, UnsupportedMediaTypeError: as
            `stage_upload`.
        InvalidError: the format of a file is not found, or an option cannot be used.
    """
    found = await asyncio.to_thread(read_import, upload.files, upload.options, upload.head)
    shown: list[Query] = []

    async def show(batch: list[Query]) -> None:
        shown.extend(batch[: _SHOWN - len(shown)])

    problems: tuple[ProblemItem, ...] = ()
    draft: Draft | None = None
    located, head = await _queries(found, upload, strict=False)
    try:
        draft = await _warned(found, await ingest(located, head, show))
    except InvalidError as exc:
        problems = exc.errors
    return _preview(found, draft, problems, shown)


def _preview(
    found: Import, draft: Draft | None, problems: tuple[ProblemItem, ...], shown: list[Query]
) -> ImportPreview:
    gathering = found.gathering
    ledger = gathering.ledger
    rows = ledger.rows()
    if found.own is not None and draft is not None:
        queries = draft.stats.queries + draft.stats.variants
        rows = ImportRows(read=queries, accepted=queries)
    grades = dict(gathering.labels) or (dict(draft.stats.grades) if draft else {})
    return ImportPreview(
        storable=draft is not None and not ledger.bars,
        files=found.files,
        rows=rows,
        refused=tuple(ledger.first),
        reasons=dict(ledger.reasons),
        problems=problems,
        grades=dict(sorted(grades.items())),
        unjudged_queries=gathering.unjudged,
        warnings=draft.warnings if draft else found.warnings(),
        stats=draft.stats if draft else None,
        hash=draft.hash if draft else "",
        queries=tuple(shown),
    )


async def _warned(found: Import, draft: Draft) -> Draft:
    more: tuple[Diagnostic, ...] = await asyncio.to_thread(found.warnings)
    return structs.replace(draft, warnings=(*draft.warnings, *more)) if more else draft


async def _queries(
    found: Import, upload: Upload, *, strict: bool
) -> tuple[AsyncIterator[Located] | Iterator[Located], TestSetHead]:
    if found.own is None:
        return found.located(strict=strict), upload.head
    opened, name = found.own
    if name != OWN_HEAD:
        return read_ndjson(_chunks(opened)), upload.head
    if upload.said:
        raise _said_twice(upload.said)
    body = await asyncio.to_thread(opened.read, MAX_JSON_BYTES + 1)
    if len(body) > MAX_JSON_BYTES:
        raise TooLargeError(
            f"The body is longer than {MAX_JSON_BYTES:,} bytes; send a large test set as "
            "application/x-ndjson, a query a line."
        )
    head, located = await asyncio.to_thread(read_json, body)
    return located, head


def _said_twice(said: frozenset[str]) -> InvalidError:
    items = [
        ProblemItem(
            pointer=f"?{name}",
            message="a JSON object has this as a field",
            fix="Put it into the body, and leave the parameter out.",
        )
        for name in sorted(said)
    ]
    return InvalidError("A query parameter is not valid.", errors=items)


async def _chunks(file: File) -> AsyncIterator[bytes]:
    with file.open() as stream:
        while chunk := await asyncio.to_thread(stream.read, _STEP):
            yield chunk
