"""Forms of tools for retrieval-augmented generation: relevant or not, and no grades."""

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
    relevant_ids,
)

_UNGRADED: Final = LABELS | HEAD | {Loss.GRADES, Loss.UNSCORABLE}


def write_samples(stretch: Stretch) -> Iterator[bytes]:
    """Write a Ragas sample a line: the question and the ids that answer it."""
    for query in stretch.queries:
        if ids := relevant_ids(query, stretch.test_set):
            sample = {"user_input": query.query, "reference_context_ids": ids}
            yield encode(sample) + b"\n"


def write_texts(stretch: Stretch) -> Iterator[bytes]:
    """Write each query that has relevant documents as a member: its text."""
    for query in stretch.queries:
        if relevant_ids(query, stretch.test_set):
            yield encode(query.id) + b":" + encode(query.query)


def write_relevant(stretch: Stretch) -> Iterator[bytes]:
    """Write each query that has relevant documents as a member: their ids."""
    for query in stretch.queries:
        if ids := relevant_ids(query, stretch.test_set):
            yield encode(query.id) + b":" + encode(ids)


def _open(_: TestSet) -> bytes:
    return b'{"mode":"text","corpus":{},"queries":{\n'


RAGAS: Final = Layout(
    media="application/x-ndjson",
    ending="jsonl",
    files=(File(readings=(Reading(write=write_samples),)),),
    losses=_UNGRADED | {Loss.IDS},
)
LLAMAINDEX: Final = Layout(
    media="application/json",
    ending="json",
    files=(
        File(
            readings=(
                Reading(
                    write=write_texts,
                    before=_open,
                    between=b",\n",
                    after=b'\n},"relevant_docs":{\n',
                ),
                Reading(write=write_relevant, between=b",\n", after=b"\n}}\n"),
            )
        ),
    ),
    losses=_UNGRADED,
)
