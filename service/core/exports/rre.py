"""Rated Ranking Evaluator: one query group for each query, with the gains of its documents."""

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


def write_groups(stretch: Stretch) -> Iterator[bytes]:
    """Write each judged query as a group of its own, named by its id."""
    for query in stretch.queries:
        if judged := judgments(query):
            placeholders = {"$query": query.query}
            yield encode(
                {
                    "name": query.id,
                    "queries": [{"template": "only_q.json", "placeholders": placeholders}],
                    "relevant_documents": {str(one.id): {"gain": one.grade} for one in judged},
                }
            )


def _open(test_set: TestSet) -> bytes:
    topic = encode({"description": test_set.name})[:-1]
    return b'{"id_field":"id","topics":[' + topic + b',"query_groups":[\n'


RRE: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(Reading(write=write_groups, before=_open, between=b",\n", after=b"\n]}]}\n"),)
        ),
    ),
    losses=LABELS | HEAD | {Loss.UNJUDGED},
)
