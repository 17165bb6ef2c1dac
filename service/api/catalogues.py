"""Routes that list what can be asked for; they need no store."""

from typing import Final

from litestar import Response

from reteval.contract.catalogues import (
    FormatCatalogue,
    KindCatalogue,
    MetricCatalogue,
    PresetCatalogue,
)
from service import errors
from service.api.bodies import AnyRequest, NoParameters, read_query
from service.api.operations import JSON, Access, Answer, Operation, reads
from service.api.responses import answer
from service.core.catalogues import list_formats, list_kinds, list_metrics
from service.core.endpoint_presets import list_presets

_TAG: Final = "catalogues"


@reads(
    "/metrics",
    Operation(
        id="listMetrics",
        tag=_TAG,
        scope=Access.ANY_KEY,
        summary="List the metrics",
        answers={200: Answer(about="All metrics", media={JSON: MetricCatalogue})},
        errors=(errors.InvalidError,),
    ),
)
async def get_metrics(request: AnyRequest) -> Response[bytes]:
    """Answer the metrics with their formulas."""
    read_query(request, NoParameters)
    return answer(list_metrics())


@reads(
    "/formats",
    Operation(
        id="listFormats",
        tag=_TAG,
        scope=Access.ANY_KEY,
        summary="List the formats that test sets are uploaded in",
        about="Which one a file has is told by its content.",
        answers={200: Answer(about="All formats", media={JSON: FormatCatalogue})},
        errors=(errors.InvalidError,),
    ),
)
async def get_formats(request: AnyRequest) -> Response[bytes]:
    """Answer the formats, with an example of each."""
    read_query(request, NoParameters)
    return answer(list_formats())


@reads(
    "/adversarial/kinds",
    Operation(
        id="listKinds",
        tag=_TAG,
        scope=Access.ANY_KEY,
        summary="List the kinds of adversarial variants",
        answers={200: Answer(about="The suite", media={JSON: KindCatalogue})},
        errors=(errors.InvalidError,),
    ),
)
async def get_kinds(request: AnyRequest) -> Response[bytes]:
    """Answer the kinds and presets."""
    read_query(request, NoParameters)
    return answer(list_kinds())


@reads(
    "/endpoints/presets",
    Operation(
        id="listPresets",
        tag=_TAG,
        scope=Access.ANY_KEY,
        summary="List the presets of endpoints",
        about="Each with the whole description that it stands for.",
        answers={200: Answer(about="All presets", media={JSON: PresetCatalogue})},
        errors=(errors.InvalidError,),
    ),
)
async def get_presets(request: AnyRequest) -> Response[bytes]:
    """Answer the presets."""
    read_query(request, NoParameters)
    return answer(list_presets())


HANDLERS: Final = (get_metrics, get_formats, get_kinds, get_presets)
