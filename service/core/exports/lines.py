"""JSON lines, our own form: what is written can be uploaded again and is the same set."""

from collections.abc import Iterator
from typing import Final

from service.core.exports.layout import HEAD, File, Layout, Reading, Stretch, encode


def write_lines(stretch: Stretch) -> Iterator[bytes]:
    """Write each query as one JSON object."""
    return (encode(query) + b"\n" for query in stretch.queries)


JSONL: Final = Layout(
    media="application/x-ndjson",
    ending="jsonl",
    files=(File(readings=(Reading(write=write_lines),)),),
    losses=HEAD,
)
