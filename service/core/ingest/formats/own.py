"""Our own two forms, which hold everything a test set can: told here, read by their own readers."""

from typing import Final

from reteval.contract.testsets import Query
from service.core.ingest.formats.format import Format, Holds, Likeness, certain, likely
from service.core.ingest.formats.sample import Sample

_FIELDS: Final = frozenset(Query.__struct_fields__)
_FOREIGN: Final = ("candidates", "ratings", "retrieval_gt")


def _detect_json(sample: Sample) -> Likeness | None:
    if not sample.is_json or sample.is_lines or not isinstance(sample.document, dict):
        return None
    raw = sample.document.get("queries")
    if raw is None or bytes(memoryview(raw)[:1]) != b"[":
        return None
    first = sample.first_of("queries")
    if "query" in first:
        return certain("its queries have a query")
    return None if first else likely("it has a list of queries")


def _detect_lines(sample: Sample) -> Likeness | None:
    if not sample.is_json or (not sample.is_lines and len(sample.lines) > 1):
        return None
    record = sample.record
    if not isinstance(record.get("query"), str) or any(name in record for name in _FOREIGN):
        return None
    if set(record) <= _FIELDS:
        return certain("its lines have a query")
    return likely("its lines have a query, and members that are not ours")


FORMATS: Final = (
    Format(
        name="reteval_json",
        holds=Holds.SET,
        about="a test set as one object, with everything it can have",
        example='{"queries": [{"query": "red shoes", "relevant_ids": ["doc7"]}]}',
        detect=_detect_json,
    ),
    Format(
        name="reteval_jsonl",
        holds=Holds.SET,
        about="the same, a query a line",
        example='{"id": "q1", "query": "red shoes", "relevant": [{"id": "doc7", "grade": 2}]}',
        detect=_detect_lines,
    ),
)
