"""Importing a test set from files: what would become of them, and then the import.

The options stand in the address, so that a file can be sent again with others.
"""

from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.imports import Consensus, ImportPreview, Negatives, QueryIds, Texts
from service.api.bodies import AnyRequest
from service.api.parameters import UploadParameters
from service.api.uploads import receive, stage
from service.core import test_sets
from service.core.importing import preview_upload
from service.errors import ServiceError
from service.pages.charts.drawing import draw
from service.pages.charts.histograms import count_bars
from service.pages.forms import read_fields
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows, takes

CHOICES: Final = {
    "negatives": [str(one) for one in Negatives],
    "consensus": [str(one) for one in Consensus],
    "query_ids": [str(one) for one in QueryIds],
    "texts": [str(one) for one in Texts],
}
WORDS: Final = ("name", "columns", "grades", "reverse", "scale_max", "relevant_from")


@shows("/test-sets/new", "showImport", scope=Scope.TEST_SETS_WRITE, query=UploadParameters)
async def show_import(request: AnyRequest) -> Response[bytes]:
    """Show where files and options are chosen."""
    read_fields(request, UploadParameters)
    return await _show_form(request)


@takes("/test-sets/preview", "previewImport", scope=Scope.TEST_SETS_WRITE)
async def preview_import(request: AnyRequest) -> Response[bytes]:
    """Show what the files would become; nothing is stored."""
    try:
        async with receive(request, read_fields(request, UploadParameters)) as upload:
            preview = await preview_upload(upload)
    except ServiceError as exc:
        return await _show_form(request, refusal=exc)
    return await _show_form(request, preview=preview)


@takes(
    "/test-sets", "importFromPage", scope=Scope.TEST_SETS_WRITE, event=AuditEvent.TEST_SET_CREATED
)
async def import_files(request: AnyRequest, backend: Deployed) -> Response[Any]:
    """Store the set, and lead to it."""
    try:
        staged = await stage(request, backend, read_fields(request, UploadParameters))
        try:
            test_set, _ = await test_sets.store_test_set(backend, staged)
        finally:
            await staged.discard()
    except ServiceError as exc:
        return await _show_form(request, refusal=exc)
    return lead_to(f"/test-sets/{test_set.id}")


async def _show_form(
    request: AnyRequest,
    *,
    preview: ImportPreview | None = None,
    refusal: ServiceError | None = None,
) -> Response[bytes]:
    options = {name: value for name, value in request.query_params.items() if value}
    bars = (
        count_bars("grades", "Grades as written", preview.grades, axis="grade", unit="judgments")
        if preview and preview.grades
        else None
    )
    return await show(
        request,
        "import.html",
        status=refusal.status if refusal else 200,
        options=options,
        query=f"?{urlencode(options)}" if options else "",
        choices=CHOICES,
        words=WORDS,
        preview=preview,
        refusal=refusal,
        charts=await draw(*([bars] if bars else [])),
    )


HANDLERS: Final = (show_import, preview_import, import_files)
