"""OpenSearch Search Relevance: a judgment list to import."""

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


def write_ratings(stretch: Stretch) -> Iterator[bytes]:
    """Write each judged query with its ratings, which are numbers in texts."""
    for query in stretch.queries:
        if judged := judgments(query):
            ratings = [{"docId": str(one.id), "rating": f"{one.grade}.0"} for one in judged]
            yield encode({"query": query.query, "ratings": ratings})


def _open(test_set: TestSet) -> bytes:
    head = {
        "name": test_set.name,
        "description": f"version {test_set.version} ({test_set.hash})",
        "type": "IMPORT_JUDGMENT",
    }
    return encode(head)[:-1] + b',"judgmentRatings":[\n'


SRW: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(Reading(write=write_ratings, before=_open, between=b",\n", after=b"\n]}\n"),)
        ),
    ),
    losses=LABELS | HEAD | {Loss.IDS, Loss.SAME_TEXTS, Loss.UNJUDGED},
)
