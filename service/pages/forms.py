"""Forms: field by field, each at most once."""

from typing import Final, TypeVar
from urllib.parse import parse_qsl

from msgspec import Struct

from service.api.access import drop_share
from service.api.bodies import AnyRequest, check_media, read_body
from service.core.decoding import read_parameters
from service.errors import InvalidError

P = TypeVar("P", bound=Struct)

FORM: Final = "application/x-www-form-urlencoded"
MAX_BYTES: Final = 1_000_000


def read_fields(request: AnyRequest, kind: type[P]) -> P:
    """Read the query of a form that only asks: a field left empty was not sent.

    Raises:
        InvalidError: `errors` names the parameter.
    """
    return read_parameters([pair for pair in drop_share(request) if pair[1]], kind)


async def read_form(request: AnyRequest) -> dict[str, str]:
    """Return the fields of a form; the guard saw to it that one of our own pages sent it.

    Raises:
        InvalidError: a field comes twice.
        UnsupportedMediaTypeError, TooLargeError: it is no form, or too long.
    """
    check_media(request, (FORM,))
    text = (await read_body(request, max_bytes=MAX_BYTES)).decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True)
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidError("A field of the form comes twice; send each once.")
    return fields
