"""RankLib: judgment lines for learning to rank, without features yet."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.exports import Loss
from reteval.contract.trec import encode_id
from service.core.exports.layout import HEAD, LABELS, File, Layout, Reading, Stretch, judgments
from service.core.exports.spelling import flatten


def write_judgments(stretch: Stretch) -> Iterator[bytes]:
    """Write a line for each judgment; queries are numbered by their place in the set, from 1."""
    for number, query in enumerate(stretch.queries, stretch.start + 1):
        text = flatten(query.query)
        yield "".join(
            f"{one.grade} qid:{number} # {encode_id(str(one.id))} {text}\n"
            for one in judgments(query)
        ).encode()


RANKLIB: Final = Layout(
    media="text/plain",
    ending="txt",
    files=(File(readings=(Reading(write=write_judgments),)),),
    losses=LABELS | HEAD | {Loss.IDS, Loss.UNJUDGED, Loss.WHITE_SPACE, Loss.ENCODED_IDS},
)
