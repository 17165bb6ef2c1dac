"""Routes for probes and readers of the API; open to anyone, outside `/v1`."""

import asyncio
from typing import Final

import yaml
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct

from reteval.contract.readiness import Readiness
from service import errors
from service.api.bodies import AnyRequest
from service.api.docs_page import CONTENT_SECURITY, render_docs
from service.api.openapi import describe
from service.api.operations import HTML, JSON, YAML, Access, Answer, Operation, reads
from service.api.responses import answer
from service.core.backend import Backend
from service.core.readiness import require_readiness

_TAG: Final = "operations"

Deployed = NamedDependency[SkipValidation[Backend]]


class Health(Struct, frozen=True):
    """The process answers."""

    status: str = "ok"


@reads(
    "/healthz",
    Operation(
        id="getHealth",
        tag=_TAG,
        scope=Access.OPEN,
        summary="Tell whether the process answers",
        answers={200: Answer(about="It does", media={JSON: Health})},
    ),
)
async def get_health() -> Response[bytes]:
    """Answer without touching the store."""
    return answer(Health())


@reads(
    "/readyz",
    Operation(
        id="getReadiness",
        tag=_TAG,
        scope=Access.OPEN,
        summary="Tell whether the service can do its work",
        about="`findings` names what is wrong, each with a code: a `degraded` service works. "
        "One that cannot, or may lose what it accepts, answers them as `errors` of a 503.",
        answers={200: Answer(about="It can, if with flaws", media={JSON: Readiness})},
        errors=(errors.NotReadyError,),
    ),
)
async def get_readiness(backend: Deployed) -> Response[bytes]:
    """Answer after a write to the store."""
    return answer(await require_readiness(backend))


@reads(
    "/openapi.yaml",
    Operation(
        id="getOpenApi",
        tag=_TAG,
        scope=Access.OPEN,
        summary="Read this document",
        answers={200: Answer(about="OpenAPI 3.1", media={YAML: None})},
    ),
)
async def get_openapi(request: AnyRequest) -> Response[str]:
    """Answer the API's description."""
    text = await asyncio.to_thread(lambda: write_yaml(describe(request.app.routes)))
    return Response(text, media_type=YAML)


@reads(
    "/docs",
    Operation(
        id="getDocs",
        tag=_TAG,
        scope=Access.OPEN,
        summary="Read the API's documentation",
        about="One page without scripts or outside addresses.",
        answers={200: Answer(about="The page", media={HTML: None})},
    ),
)
async def get_docs(request: AnyRequest) -> Response[str]:
    """Answer the documentation as a page."""
    page = await asyncio.to_thread(lambda: render_docs(describe(request.app.routes)))
    return Response(page, media_type=HTML, headers={"Content-Security-Policy": CONTENT_SECURITY})


class _Dumper(yaml.CSafeDumper):
    """Writes repeated parts out, as readers of the document expect."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the signature is yaml's
        return True


def write_yaml(document: dict[str, object]) -> str:
    """Write an OpenAPI document, the same text for the same document."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)


HANDLERS: Final = (get_health, get_readiness, get_openapi, get_docs)
