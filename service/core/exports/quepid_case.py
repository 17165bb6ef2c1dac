"""A Quepid case: queries with options and ratings, as its import reads them."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.exports import Loss
from reteval.contract.testsets import TestSet
from service.core.exports.layout import (
    HEAD,
    LABELS,
    File,
    Layout,
    Reading,
    Stretch,
    encode,
    judgments,
)

_SCORER: Final = "nDCG@10"
"""One that every Quepid has; it refuses a case that names none."""


def write_queries(stretch: Stretch) -> Iterator[bytes]:
    """Write each query as an object; its fields are the options, which templates fill in."""
    for query in stretch.queries:
        yield encode(
            {
                "query_text": query.query,
                "options": query.fields,
                "notes": "",
                "information_need": "",
                "ratings": [
                    {"doc_id": str(one.id), "rating": one.grade} for one in judgments(query)
                ],
            }
        )


def _open(test_set: TestSet) -> bytes:
    head = {"case_name": test_set.name, "scorer": {"name": _SCORER}, "try": {}}
    return encode(head)[:-1] + b',"queries":[\n'


QUEPID_CASE: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(Reading(write=write_queries, before=_open, between=b",\n", after=b"\n]}\n"),)
        ),
    ),
    losses=(LABELS - {Loss.FIELDS}) | HEAD | {Loss.IDS},
)
