"""Reads a test set sent as one JSON object."""

from collections.abc import Iterator

import msgspec

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.shape import BOM, decode
from service.errors import InvalidError


class _Body(TestSetHead, kw_only=True, forbid_unknown_fields=True):
    # Queries stay undecoded until it is their turn: a decoded set takes many times its bytes.
    queries: list[msgspec.Raw]


def read_json(body: bytes) -> tuple[TestSetHead, Iterator[Located]]:
    """Read the head at once and the queries one by one; queries are decoded when asked for.

    Raises:
        MalformedJsonError: syntax, encoding or depth; also from the iterator.
        InvalidError: a type, a bound or an unknown field; also from the iterator, at its end.
    """
    found = decode(body.removeprefix(BOM), msgspec.json.Decoder(_Body))
    if isinstance(found, ProblemItem):
        raise InvalidError(found.message, errors=[found])
    head = TestSetHead(**{name: getattr(found, name) for name in TestSetHead.__struct_fields__})
    return head, _queries(found.queries)


def _queries(raws: list[msgspec.Raw]) -> Iterator[Located]:
    decoder = msgspec.json.Decoder(Query)
    problems = Problems()
    for index, raw in enumerate(raws):
        pointer = f"/queries/{index}"
        found = decode(raw, decoder, pointer=pointer)
        if isinstance(found, ProblemItem):
            problems.add([found])
            if problems.full:
                break
        elif not problems:
            yield Located(query=found, pointer=pointer)
    problems.settle()
