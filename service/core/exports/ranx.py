"""ranx: qrels as one JSON object of objects."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.exports import Loss
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


def write_qrels(stretch: Stretch) -> Iterator[bytes]:
    """Write each judged query as a member: its documents with their grades."""
    for query in stretch.queries:
        if judged := judgments(query):
            yield encode(query.id) + b":" + encode({str(one.id): one.grade for one in judged})


RANX: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(
                Reading(write=write_qrels, before=lambda _: b"{", between=b",\n", after=b"}\n"),
            )
        ),
    ),
    losses=LABELS | HEAD | {Loss.TEXTS, Loss.UNJUDGED},
)
