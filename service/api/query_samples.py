"""Route of `/v1/query-samples`: queries out of a log."""

from collections.abc import AsyncIterator
from typing import Annotated, Final, Literal

import msgspec
from litestar import Response
from litestar.response import Stream
from msgspec import Meta, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.limits import MAX_QUERIES
from reteval.contract.query_samples import (
    DEFAULT_SAMPLE,
    MAX_LOG_BYTES,
    QuerySample,
    SampleMethod,
)
from service import errors
from service.api.bodies import AnyRequest, check_media, read_query, stream_body
from service.api.operations import CSV, JSON, JSON_LINES, TEXT, Answer, Operation, creates
from service.api.responses import answer, answer_stream
from service.core.query_samples import READERS, Wish, sample_queries

_MOST: Final = 2**53 - 1


class SampleParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to draw, and in what form to answer."""

    method: SampleMethod = SampleMethod.HEAD_TORSO_TAIL
    size: Annotated[int, Meta(ge=1, le=MAX_QUERIES, description="Queries to draw.")] = (
        DEFAULT_SAMPLE
    )
    seed: Annotated[int, Meta(ge=0, le=_MOST, description="The same seed, the same sample.")] = 0
    min_count: Annotated[
        int, Meta(ge=1, le=_MOST, description="Leave out what was asked fewer times.")
    ] = 1
    once_per_user: Annotated[
        bool, Meta(description="Count a query once for each user, where the log names users.")
    ] = False
    format: Annotated[
        Literal["json", "jsonl"], Meta(description="`jsonl`: the queries alone, to be uploaded.")
    ] = "json"


@creates(
    "/query-samples",
    Operation(
        id="sampleQueries",
        tag="building",
        scope=Scope.TEST_SETS_WRITE,
        summary="Draw queries from a log",
        about=(
            "Plain lines of a query each; CSV with the columns query (or user_query), and count "
            "and user where there are; or JSON lines with these fields, as UBI writes them. Texts "
            "are cleaned, secrets taken out, spellings joined and counted, and a sample drawn. "
            "Nothing is stored. The queries are unjudged: upload them with `allow_unscorable`."
        ),
        answers={200: Answer(about="The sample", media={JSON: QuerySample, JSON_LINES: None})},
        query=SampleParameters,
        body={TEXT: None, CSV: None, JSON_LINES: None},
        errors=(
            errors.MalformedTextError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
        ),
    ),
)
async def draw_sample(request: AnyRequest) -> Response[bytes] | Stream:
    """Read a log as it arrives; answer the sample with its counts, or its queries alone."""
    media = check_media(request, (*READERS,))
    sent = read_query(request, SampleParameters)
    sample = await sample_queries(
        stream_body(request, max_bytes=MAX_LOG_BYTES),
        READERS[media],
        Wish(
            method=sent.method,
            size=sent.size,
            seed=sent.seed,
            least=sent.min_count,
            once_per_user=sent.once_per_user,
        ),
    )
    if sent.format == "json":
        return answer(sample)
    lines = msgspec.json.Encoder().encode_lines(sample.queries)
    return answer_stream(_once(lines), media=JSON_LINES, filename="queries.jsonl")


async def _once(text: bytes) -> AsyncIterator[bytes]:
    yield text


HANDLERS: Final = (draw_sample,)
