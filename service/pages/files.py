"""The style sheet and the scripts of the pages."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from service.api.operations import PAGES, Access, Answer, Operation, reads
from service.errors import NotFoundError
from service.pages.rendering import STATIC, static_tags

_MEDIA: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@reads(
    "/static/{name:str}",
    Operation(
        id="getStaticFile",
        tag=PAGES,
        scope=Access.OPEN,
        summary="Read a file that pages use",
        answers={200: Answer(about="The file", media=dict.fromkeys(_MEDIA.values()))},
        errors=(NotFoundError,),
    ),
)
async def get_file(name: FromPath[str]) -> Response[bytes]:
    """Answer a file; its address changes with its content, so that it is kept for ever."""
    tag = static_tags().get(name)
    if tag is None:
        raise NotFoundError(f"There is no file {name!r}.")
    path = STATIC / name
    return Response(
        path.read_bytes(),
        media_type=_MEDIA[path.suffix],
        headers={"Cache-Control": _FOR_EVER, "ETag": f'"{tag}"'},
    )


HANDLERS: Final = (get_file,)
