"""Routes of badges: a number to show in a README or on a dashboard, as JSON and as an image."""

import hashlib
from typing import Annotated, Final

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.badges import Badge
from service import errors
from service.api.bodies import AnyRequest, read_query
from service.api.conditional import IF_NONE_MATCH, TAGGED, holds
from service.api.operations import JSON, SVG, Answer, Operation, reads
from service.api.parameters import LatestParameters
from service.api.runs import Deployed
from service.core.badge_image import draw
from service.core.badges import BadgeWords, find_badge, read_badge
from service.core.grants import RUN
from service.core.latest import Wanted

_TAG: Final = "badges"
_ABOUT: Final = (
    "The mean of a metric and the number of queries behind it. A run that failed, or that a "
    "finding blocks, says so in red."
)
# A page that shows an image is often of another origin than the service.
_HEADERS: Final = {
    "Cache-Control": "private, max-age=60",
    "Vary": "Authorization",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_LATEST_ERRORS: Final = (errors.NotFoundError, errors.InvalidError)
_RUN_ERRORS: Final = (errors.NotFoundError, errors.NotTerminalError, errors.InvalidError)


_Metric = Annotated[str, Meta(max_length=64, description="Empty: the first metric of the report.")]
_Title = Annotated[
    str, Meta(max_length=100, description="Its left half; empty: the name of the metric.")
]
_Floor = Annotated[float, Meta(ge=0, le=1, description="Green from this mean on, red below it.")]


class BadgeParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the badge shows."""

    metric: _Metric = ""
    title: _Title = ""
    floor: _Floor | None = None


class LatestBadgeParameters(LatestParameters, frozen=True, kw_only=True):
    """Which run, and what the badge shows of it."""

    metric: _Metric = ""
    title: _Title = ""
    floor: _Floor | None = None


def _answers(media: str, kind: type[Struct] | None) -> dict[int, Answer]:
    return {
        200: Answer(about="The badge", media={media: kind}, headers=TAGGED),
        304: Answer(about="It is what `If-None-Match` names", headers=TAGGED),
    }


@reads(
    "/badges/latest.json",
    Operation(
        id="getLatestBadge",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Read the badge of the newest completed run",
        about=f"In the form of a shields endpoint. {_ABOUT}",
        answers=_answers(JSON, Badge),
        headers=IF_NONE_MATCH,
        query=LatestBadgeParameters,
        errors=_LATEST_ERRORS,
    ),
)
async def get_latest_badge(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the badge of a test set as JSON."""
    return _as_json(request, await _find(request, backend))


@reads(
    "/badges/latest.svg",
    Operation(
        id="getLatestBadgeImage",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Read the badge of the newest completed run as an image",
        about=_ABOUT,
        answers=_answers(SVG, None),
        headers=IF_NONE_MATCH,
        query=LatestBadgeParameters,
        errors=_LATEST_ERRORS,
    ),
)
async def get_latest_badge_image(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the badge of a test set as an image."""
    return _as_image(request, await _find(request, backend))


@reads(
    "/runs/{run_id:str}/badge.json",
    Operation(
        id="getBadge",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="Read the badge of a run",
        about=f"In the form of a shields endpoint. {_ABOUT}",
        answers=_answers(JSON, Badge),
        headers=IF_NONE_MATCH,
        query=BadgeParameters,
        errors=_RUN_ERRORS,
    ),
)
async def get_badge(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer the badge of a run as JSON."""
    return _as_json(request, await _read(request, backend, run_id))


@reads(
    "/runs/{run_id:str}/badge.svg",
    Operation(
        id="getBadgeImage",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        shared=RUN,
        summary="Read the badge of a run as an image",
        about=_ABOUT,
        answers=_answers(SVG, None),
        headers=IF_NONE_MATCH,
        query=BadgeParameters,
        errors=_RUN_ERRORS,
    ),
)
async def get_badge_image(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer the badge of a run as an image."""
    return _as_image(request, await _read(request, backend, run_id))


async def _find(request: AnyRequest, backend: Deployed) -> Badge:
    sent = read_query(request, LatestBadgeParameters)
    wanted = Wanted(test_set=sent.test_set, label=sent.label, branch=sent.branch, team=sent.team)
    return await find_badge(backend, wanted, _words(sent))


async def _read(request: AnyRequest, backend: Deployed, run_id: str) -> Badge:
    return await read_badge(backend, run_id, _words(read_query(request, BadgeParameters)))


def _words(sent: BadgeParameters | LatestBadgeParameters) -> BadgeWords:
    return BadgeWords(metric=sent.metric, title=sent.title, floor=sent.floor)


def _as_json(request: AnyRequest, badge: Badge) -> Response[bytes]:
    return _send(request, msgspec.json.encode(badge), JSON)


def _as_image(request: AnyRequest, badge: Badge) -> Response[bytes]:
    return _send(request, draw(badge), SVG)


def _send(request: AnyRequest, body: bytes, media: str) -> Response[bytes]:
    etag = f'"{hashlib.sha256(body).hexdigest()}"'
    headers = {"ETag": etag, **_HEADERS}
    if holds(request.scope, etag):
        return Response(b"", status_code=304, headers=headers)
    return Response(body, media_type=media, headers=headers)


HANDLERS: Final = (get_latest_badge, get_latest_badge_image, get_badge, get_badge_image)
