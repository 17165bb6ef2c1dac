"""What schemathesis is told about bodies it cannot write by itself."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def write_lines(context: Any, value: Any) -> bytes:
    """Write texts as they are, and anything else a JSON value a line."""
    if isinstance(value, bytes | str):
        return write_bytes(context, value)
    rows = value if isinstance(value, list) else [value]
    return "\n".join(map(json.dumps, rows)).encode()


@schemathesis.serializer(
    "application/gzip",
    "application/vnd.apache.parquet",
    "application/vnd.reteval.backup",
    "application/zip",
)
def write_bytes(_context: Any, value: Any) -> bytes:
    """Write bytes and texts as they are, and anything else as JSON: none of it is an archive."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "surrogatepass")
