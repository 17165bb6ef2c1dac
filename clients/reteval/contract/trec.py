"""TREC run and qrels: how rankings and judgments are written for trec_eval and its kin."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import UNSET

from reteval.contract.outcomes import OutcomeRow
from reteval.contract.testsets import Query

_EMPTY: Final = "%"
"""How an empty id is written; no other id is written so, since `%` itself becomes `%25`."""
_BREAKING: Final = re.compile(r"[%\s\x00-\x1f\x7f-\x9f]")


def encode_id(text: str) -> str:
    """Percent-encode what would break a column, so that distinct ids stay distinct."""
    if not text:
        return _EMPTY
    return _BREAKING.sub(_encode_char, text).replace("~dup", "%7Edup")


def write_run(rows: Sequence[OutcomeRow], *, depth: int, tag: str) -> str:
    """Write rankings as lines of a TREC run; the score is `depth` - rank + 1."""
    return "".join(line for row in rows for line in _run_lines(row, depth, tag))


def write_qrels(queries: Iterable[Query]) -> str:
    """Write judgments as lines of TREC qrels."""
    return "".join(
        f"{encode_id(query.id)} 0 {encode_id(str(judgment.id))} {judgment.grade}\n"
        for query in queries
        for judgment in (() if query.relevant is UNSET else query.relevant)
    )


def _run_lines(row: OutcomeRow, depth: int, tag: str) -> Iterator[str]:
    query = encode_id(row.query_id)
    seen: set[str] = set()
    for rank, doc in enumerate(row.outcome.ids, start=1):
        name = f"{encode_id(doc)}~dup{rank}" if doc in seen else encode_id(doc)
        seen.add(doc)
        yield f"{query} Q0 {name} {rank} {depth - rank + 1} {tag}\n"


def _encode_char(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
