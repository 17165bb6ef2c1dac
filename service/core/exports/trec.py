"""TREC: topics and qrels, which trec_eval and all that follow it read."""

from collections.abc import Iterator, Sequence
from typing import Final

from reteval.contract.exports import Loss
from reteval.contract.testsets import Query
from reteval.contract.trec import encode_id, write_qrels
from service.core.exports.layout import LABELS, ZIP, File, Layout, Reading, Stretch
from service.core.exports.spelling import flatten


def write_topics(queries: Sequence[Query]) -> str:
    """Write queries as lines of id, tab and text; white space in a text becomes one blank."""
    return "".join(f"{encode_id(query.id)}\t{flatten(query.query)}\n" for query in queries)


def _topics(stretch: Stretch) -> Iterator[bytes]:
    yield write_topics(stretch.queries).encode()


def _qrels(stretch: Stretch) -> Iterator[bytes]:
    yield write_qrels(stretch.queries).encode()


TREC: Final = Layout(
    media="application/zip",
    ending=ZIP,
    files=(
        File(name="topics.tsv", about="id, tab, text", readings=(Reading(write=_topics),)),
        File(
            name="qrels.trec",
            about="query 0 document grade; white space, control characters and % in ids are "
            "percent-encoded (an empty id is %)",
            readings=(Reading(write=_qrels),),
        ),
    ),
    losses=LABELS | {Loss.WHITE_SPACE, Loss.ENCODED_IDS},
)
