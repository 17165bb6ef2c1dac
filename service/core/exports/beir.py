"""BEIR: queries and qrels of a data set whose corpus is the reader's own."""

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from reteval.contract.exports import Loss
from service.core.exports.layout import ZIP, File, Layout, Reading, Stretch, encode, judgments

_OWN_PLACE: Final = {"id", "query", "relevant"}


def write_queries(stretch: Stretch) -> Iterator[bytes]:
    """Write a JSON object a line; what BEIR has no field for is its `metadata`."""
    for query in stretch.queries:
        fields: dict[str, Any] = msgspec.to_builtins(query)
        metadata = {name: value for name, value in fields.items() if name not in _OWN_PLACE}
        yield encode({"_id": query.id, "text": query.query, "metadata": metadata}) + b"\n"


def write_qrels(stretch: Stretch) -> Iterator[bytes]:
    """Write judgments as lines of query, document and score between tabs."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerows(
        (query.id, one.id, one.grade) for query in stretch.queries for one in judgments(query)
    )
    yield buffer.getvalue().encode()


BEIR: Final = Layout(
    media="application/zip",
    ending=ZIP,
    files=(
        File(
            name="queries.jsonl",
            about="an object a line: _id, text, and as metadata what else is known of the query",
            readings=(Reading(write=write_queries),),
        ),
        File(
            name="qrels/test.tsv",
            about="query-id, corpus-id and score between tabs, quoted where an id needs it; "
            "put your corpus.jsonl beside queries.jsonl",
            readings=(
                Reading(write=write_qrels, before=lambda _: b"query-id\tcorpus-id\tscore\n"),
            ),
        ),
    ),
    losses=frozenset({Loss.PROVENANCE}),
)
