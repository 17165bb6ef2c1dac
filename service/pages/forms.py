"""Forms: read only from our own pages, field by field, each at most once."""

from typing import Final, TypeVar
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct

from service.api.access import drop_share
from service.api.bodies import AnyRequest, check_media, read_body
from service.core.decoding import read_parameters
from service.errors import ForbiddenError, InvalidError

P = TypeVar("P", bound=Struct)

FORM: Final = "application/x-www-form-urlencoded"
MAX_BYTES: Final = 1_000_000
_OWN: Final = ("same-origin", "none")
_ELSEWHERE: Final = (
    "The form was sent from another site. Open the page here, and send it from there."
)


def read_fields(request: AnyRequest, kind: type[P]) -> P:
    """Read the query of a form that only asks: a field left empty was not sent.

    Raises:
        InvalidError: `errors` names the parameter.
    """
    return read_parameters([pair for pair in drop_share(request) if pair[1]], kind)


async def read_form(request: AnyRequest) -> dict[str, str]:
    """Return the fields of a form that one of our own pages sent.

    Raises:
        ForbiddenError: another site sent it.
        InvalidError: a field comes twice.
        UnsupportedMediaTypeError, TooLargeError: it is no form, or too long.
    """
    refuse_elsewhere(request)
    check_media(request, (FORM,))
    text = (await read_body(request, max_bytes=MAX_BYTES)).decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True)
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidError("A field of the form comes twice; send each once.")
    return fields


def refuse_elsewhere(request: AnyRequest) -> None:
    """See that a request that changes something comes from a page of ours.

    Browsers say so in `Sec-Fetch-Site`, older ones in `Origin` alone; what says neither is no
    browser, and has no cookie that it did not choose to send.

    Raises:
        ForbiddenError: it comes from another site.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None and site not in _OWN:
        raise ForbiddenError(_ELSEWHERE)
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise ForbiddenError(_ELSEWHERE)
