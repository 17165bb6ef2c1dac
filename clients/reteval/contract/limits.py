"""Bounds of everything a client may send, in one place so that both sides agree."""

from typing import Final

MAX_JSON_BYTES: Final = 10_000_000
"""Largest plain JSON, CSV or TREC body; larger test sets are streamed as NDJSON."""
MAX_NDJSON_BYTES: Final = 1_000_000_000
MAX_IMPORT_BYTES: Final = 100_000_000
"""Largest body that is read in another format than ours; unpacked, a file may have
MAX_NDJSON_BYTES."""
MAX_IMPORT_ROWS: Final = 5_000_000
"""Queries and judgments of an import: they are put aside on disk until all are known."""
MAX_DOCUMENT_BYTES: Final = 50_000_000
"""Largest JSON or Parquet file of another tool: it is held whole."""
MAX_LINE_BYTES: Final = 1_000_000
MAX_QUERIES: Final = 50_000
MAX_JUDGMENTS_PER_QUERY: Final = 10_000
"""TREC pools judge up to some thousand documents a topic."""
MAX_ID_BYTES: Final = 512
MAX_QUERY_BYTES: Final = 8_192
MAX_NAME_BYTES: Final = 200
MAX_TAGS: Final = 32
MAX_GRADE: Final = 100
MIN_GRADE: Final = -100
MAX_METRICS: Final = 50
MAX_DEPTH: Final = 1_000
MAX_META_ENTRIES: Final = 50
MAX_META_VALUE_BYTES: Final = 1_000
MAX_URL_CHARS: Final = 2_048
MAX_HEADERS: Final = 32
MAX_HEADER_BYTES: Final = 8_192
MAX_PAGE: Final = 200
DEFAULT_PAGE: Final = 50
MAX_WAIT_S: Final = 30
MAX_REPEATS: Final = 20
MAX_SLICES: Final = 100
"""Largest slices that a report has."""
MAX_FIELDS: Final = 32
MAX_FIELD_BYTES: Final = 8_192
MAX_FIELD_NUMBERS: Final = 4_096
MAX_WEBHOOKS: Final = 20
"""Of a team: each end of a run is told to all of them."""
