"""The content hash of a test set: one digest of every field that can change a number.

The canonical form is one line for the set and one for each query, in upload order, each ended by
a line feed: JSON in UTF-8 with keys in code point order, no white space, and nothing escaped
beyond what JSON requires. Empty fields are left out, so that a field added later leaves old
hashes as they are. The set's line always holds `form`, `relevant_from` and `scale_max`. Judgments
are an object from id to grade, `fields` an object and tags a sorted list, so that their order does
not matter; the order of queries does. Left out: `name`, `allow_unscorable`, `source`.
"""

import hashlib
from typing import Any, Final

import msgspec

from reteval.contract.testsets import Judgment, Query, TestSetHead

FORM: Final = 1
_PLAIN: Final = ("id", "query", "split", "cluster_id", "parent", "kind")


class ContentHash:
    """Takes normalised queries one at a time."""

    def __init__(self, head: TestSetHead) -> None:
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._sha = hashlib.sha256()
        line: dict[str, Any] = {
            "form": FORM,
            "relevant_from": head.relevant_from,
            "scale_max": head.scale.max,
        }
        self._add(line | {n: v for n in ("language", "id_rule") if (v := getattr(head, n))})

    def add(self, query: Query, relevant: list[Judgment]) -> None:
        """Take the next query with its judgments."""
        line: dict[str, Any] = {name: v for name in _PLAIN if (v := getattr(query, name))}
        if relevant:
            line["relevant"] = {judgment.id: judgment.grade for judgment in relevant}
        if query.tags:
            line["tags"] = sorted(query.tags)
        if query.expect:
            line["expect"] = query.expect
        if query.fields:
            line["fields"] = query.fields
        self._add(line)

    def digest(self) -> str:
        """The hash of what was taken so far, as `sha256:<hex>`."""
        return f"sha256:{self._sha.hexdigest()}"

    def _add(self, line: dict[str, Any]) -> None:
        self._sha.update(self._encoder.encode(line))
        self._sha.update(b"\n")
