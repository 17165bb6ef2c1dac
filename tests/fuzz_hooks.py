"""What schemathesis is told about bodies it cannot write by itself."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def write_lines(_context: Any, value: Any) -> bytes:
    """Write texts as they are, and anything else a JSON value a line."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    rows = value if isinstance(value, list) else [value]
    return "\n".join(map(json.dumps, rows)).encode()
