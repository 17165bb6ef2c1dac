"""What schemathesis is told about bodies it cannot write by itself."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def write_lines(_context: Any, value: Any) -> bytes:
    """Write bytes and texts as they are, and anything else a JSON value a line."""
    rows = value if isinstance(value, list) else [value]
    return b"\n".join(map(_encode, rows))


@schemathesis.serializer(
    "application/gzip",
    "application/vnd.apache.parquet",
    "application/vnd.reteval.backup",
    "application/zip",
)
def write_bytes(_context: Any, value: Any) -> bytes:
    """Write bytes and texts as they are, and anything else as JSON: none of it is an archive."""
    return _encode(value)


def _encode(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "surrogatepass")
