"""Elasticsearch: the body of a request to `_rank_eval`, which answers a number at once."""

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

_K: Final = 10


def write_requests(stretch: Stretch) -> Iterator[bytes]:
    """Write each judged query as a search over all fields, to be put in the reader's own words."""
    for query in stretch.queries:
        if judged := judgments(query):
            ratings = [
                {"_index": stretch.index, "_id": str(one.id), "rating": one.grade} for one in judged
            ]
            search = {"query": {"multi_match": {"query": query.query}}}
            yield encode({"id": query.id, "request": search, "ratings": ratings})


def _open(test_set: TestSet) -> bytes:
    recall = {"k": _K, "relevant_rating_threshold": test_set.relevant_from}
    return encode({"metric": {"recall": recall}})[:-1] + b',"requests":[\n'


RANK_EVAL: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(Reading(write=write_requests, before=_open, between=b",\n", after=b"\n]}\n"),)
        ),
    ),
    losses=(LABELS | HEAD | {Loss.UNJUDGED}) - {Loss.RELEVANT_FROM},
)
