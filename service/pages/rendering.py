"""Templates into answers: escaped, in one frame, under a policy that lets nothing in."""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response
from markupsafe import Markup

from reteval.contract.grants import SHARE_PARAMETER
from service.api.access import IDENTITY
from service.api.bodies import AnyRequest
from service.api.envelope import request_id
from service.api.operations import HTML
from service.core.identity import NOBODY
from service.pages import formatting
from service.pages.hints import hint

_HERE: Final = Path(__file__).parent
STATIC: Final = _HERE / "static"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""What a page may do: our own scripts, styles and addresses, none of them in the page itself."""


async def show(request: AnyRequest, template: str, **values: Any) -> Response[bytes]:
    """Answer a page; rendering a long one leaves the event loop free."""
    return await asyncio.to_thread(answer_page, request, template, **values)


def answer_page(
    request: AnyRequest, template: str, *, status: int = 200, **values: Any
) -> Response[bytes]:
    """Answer a page of `templates/`, which sees `values` and what `frame` says."""
    text = render(template, **frame(request), **values)
    return Response(
        text.encode(),
        status_code=status,
        media_type=HTML,
        headers={"Content-Security-Policy": POLICY, "Vary": "Cookie"},
    )


def render(template: str, **values: Any) -> str:
    """Render a template; a name that it does not know is an error, never a blank."""
    return environment().get_template(template).render(**values)


def frame(request: AnyRequest) -> dict[str, Any]:
    """Return what the frame of every page shows: who looks, through what, and where they are."""
    identity = request.scope["state"].get(IDENTITY, NOBODY)
    share = request.query_params.get(SHARE_PARAMETER, "") if identity.via else ""

    def link(path: str, **parameters: str | float | None) -> str:
        """Lead to another page; a reader by a link takes its token along."""
        asked = {name: value for name, value in parameters.items() if value not in ("", None)}
        if share:
            asked[SHARE_PARAMETER] = share
        return f"{path}?{urlencode(asked)}" if asked else path

    return {
        "identity": identity,
        "link": link,
        "path": request.url.path,
        "request_id": request_id(request.scope),
        "inline": False,
    }


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(formatting.FILTERS)
    made.globals.update(static=name_static, read_style=read_style, segment=segment, hint=hint)
    return made


def name_static(name: str) -> str:
    """Return the address of a file of `static/`, which changes with its content."""
    return f"/static/{name}?v={static_tags()[name][:16]}"


def read_style() -> Markup:
    """Return the style sheet, for a page that has to stand alone."""
    return Markup((STATIC / "pages.css").read_text())  # noqa: S704 - a file of our own


def segment(text: str) -> str:
    """Write a text as one part of a path."""
    return quote(text, safe="")


@cache
def static_tags() -> Mapping[str, str]:
    """Return the files that are served, each with a digest of its content."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(STATIC.iterdir())
    }
