"""The content hash of a test set: one digest of every field that can change a number.

The canonical form is one line for the set and one for each query, in upload order, each ended by
a line feed: JSON in UTF-8 with keys in code point order, no white space, and nothing escaped
beyond what JSON requires. Empty fields are left out, so that a field added later leaves old
hashes as they are. The set's line always holds `form`, `relevant_from` and `scale_max`. Judgments
are an object from id to grade, `fields` an object and tags a sorted list, so that their order does
not matter; the order of queries does. Left out: `name`, `allow_unscorable`, `source`, and who
made a judgment and when.
"""

import hashlib
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.endpoints import Fields
from reteval.contract.testsets import DocId, Expect, Judgment, Query, TestSetHead
from service.core.ingest.bulk import Plain

FORM: Final = 1
_HELD: Final = 500


class _Line(Struct, omit_defaults=True, gc=False):
    # A query's line. The fields stand in code point order, which is how they are written.
    cluster_id: str = ""
    expect: Expect | None = None
    fields: Fields = {}
    id: str = ""
    kind: str = ""
    parent: str = ""
    query: str = ""
    relevant: dict[DocId, int] | dict[str, int] = {}
    split: str = ""
    tags: list[str] = []


class ContentHash:
    """Takes normalised queries; some are held and written together."""

    def __init__(self, head: TestSetHead) -> None:
        self._encoder = msgspec.json.Encoder(order="deterministic")
        self._sha = hashlib.sha256()
        self._lines: list[Any] = []
        line: dict[str, Any] = {
            "form": FORM,
            "relevant_from": head.relevant_from,
            "scale_max": head.scale.max,
        }
        self._lines.append(
            line | {n: v for n in ("language", "id_rule") if (v := getattr(head, n))}
        )

    def add(self, query: Query, relevant: list[Judgment]) -> None:
        """Take the next query with its judgments."""
        self._lines.append(_line(query, {judgment.id: judgment.grade for judgment in relevant}))
        if len(self._lines) >= _HELD:
            self._write()

    def add_all(self, plain: Plain) -> None:
        """Take the next queries."""
        self._lines += map(_line, plain.queries, plain.grades)
        self._write()

    def digest(self) -> str:
        """The hash of what was taken so far, as `sha256:<hex>`."""
        self._write()
        return f"sha256:{self._sha.hexdigest()}"

    def _write(self) -> None:
        self._sha.update(self._encoder.encode_lines(self._lines))
        self._lines.clear()


def _line(query: Query, relevant: dict[DocId, int] | dict[str, int]) -> _Line:
    return _Line(
        query.cluster_id,
        query.expect,
        query.fields,
        query.id,
        query.kind,
        query.parent,
        query.query,
        relevant,
        query.split,
        query.tags and sorted(query.tags),
    )
