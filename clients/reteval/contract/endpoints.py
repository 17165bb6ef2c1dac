"""Search endpoints: how a client describes the one that a run calls."""

import re
from enum import StrEnum
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.id_rules import IdRule

PLACEHOLDER: Final = re.compile(
    r"\{\{((?:query|query_id|k|offset|page|cursor|field\.[A-Za-z0-9_.-]{1,64})(?:\|json)?)\}\}"
)
"""What stands in a description for a value of the request; anything else in braces is text."""
JSON_FILTER: Final = "|json"
FIELD: Final = "field."
Expression = Annotated[str, Meta(min_length=1, max_length=512)]
Scalar = str | int | float | bool
Fields = dict[str, str | int | float | bool | list[float]]
"""What a query carries beside its text, such as a filter or an embedding."""


class Method(StrEnum):
    """HTTP methods an endpoint may be called with."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"


class TimeUnit(StrEnum):
    """Units in which endpoints report their own time."""

    MILLISECONDS = "ms"
    SECONDS = "s"


class Success(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an answer must say, beside its HTTP status, to be one.

    `path` is JMESPath over the whole answer; what it finds must equal `equals`, type and value.
    """

    path: Expression
    equals: str | int | float | bool | None = True


class PagingKind(StrEnum):
    """How a further page is asked for; also the name of the placeholder that asks."""

    OFFSET = "offset"
    PAGE = "page"
    CURSOR = "cursor"


class Paging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How more hits are fetched than one request returns.

    `{{offset}}`, `{{page}}` or `{{cursor}}`, after `kind`, stands in the request for the place to
    go on from, and `{{k}}` for the hits of one page: `size` of them, or fewer where fewer are
    wanted. `start` is the first value of the placeholder; without it 0, 1 and null. `next` finds
    a cursor in the answer. Paging ends with a short page, without a further cursor, with enough
    hits, or after `max_pages`.
    """

    kind: PagingKind
    size: Annotated[int, Meta(ge=1, le=limits.MAX_DEPTH)]
    start: str | int | None = None
    next: Expression | None = None
    max_pages: Annotated[int, Meta(ge=1, le=100)] = 20


class Endpoint(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A search endpoint, described declaratively.

    Only `url` is needed where the endpoint speaks the default protocol. In `params`, `body`,
    `form`, `headers` and the URL's path or query, `{{query}}`, `{{query_id}}`, `{{field.NAME}}`
    (a field of the query) and `{{k}}` (the hits asked for) are filled in; a JSON value that is the
    placeholder alone keeps its type. `{{query|json}}` is escaped as the inside of a JSON string
    first. `hits`, `id`, `score` and `text` are JMESPath: `hits` from the answer, the others from
    each hit; `ids` and `scores` instead read parallel arrays from the answer. `total`, `took`
    (in `took_unit`), `error` (anything but an empty value fails) and `success` read the answer.
    `collapse_by` finds the document of a hit that is a part of one, `collapse_at` cuts its id
    before the last such text; the first part counts, and `overfetch` times as many hits are
    asked for. `id_rule` respells each id before anything else is done with it; `lookup` is a URL
    with `{{id}}` that answers 200 where the document exists. `preset` fills in what is not given
    here, `saved` names a saved endpoint (id or name) that does; what is given takes precedence.
    `model_family` says whose models the search uses, such as `gpt`: a run warns where the test
    set was judged by a model of the same. Header values are never returned.
    """

    url: Annotated[str, Meta(max_length=limits.MAX_URL_CHARS)] = ""
    saved: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    preset: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] | None = None
    method: Method = Method.POST
    params: dict[str, str | int | float | bool] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: Any | UnsetType = UNSET
    form: dict[str, str | int | float | bool] | UnsetType = UNSET
    hits: Expression | None = None
    id: Expression | None = None
    score: Expression | None = None
    text: Expression | None = None
    ids: Expression | None = None
    scores: Expression | None = None
    total: Expression | None = None
    took: Expression | None = None
    took_unit: TimeUnit = TimeUnit.MILLISECONDS
    error: Expression | None = None
    success: Success | None = None
    collapse_by: Expression | None = None
    collapse_at: Annotated[str, Meta(min_length=1, max_length=16)] | None = None
    overfetch: Annotated[int, Meta(ge=1, le=20)] = 1
    paging: Paging | None = None
    id_rule: IdRule = ()
    lookup: Annotated[str, Meta(min_length=1, max_length=limits.MAX_URL_CHARS)] | None = None
    model_family: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
