"""Outcomes as columns: a document-id dictionary for the run, rankings as uint32, no numpy.

Layout of a chunk (little endian, one entry a request unless said): `status` and `code` uint8
(a code is one above its place in `FailureCode`, 0 for none), `http` and `attempts` uint16,
`latency` float32 (NaN for none), `returned` and `length` uint32, `docs` uint32 (all rankings,
one after the other), `scored` uint8 (whether scores were kept), `details` by place. `connect`,
`first_byte`, `took`, `overlap` float32 and `total`, `hits` float64 (NaN for none), `pages` uint16
and `resent` uint8 are empty where no outcome of the chunk tells any.
Scores are a separate float32 column, as they do not compress.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, field

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus

STATUSES: Final = tuple(OutcomeStatus)
CODES: Final = tuple(FailureCode)


class Columns(Struct, frozen=True, kw_only=True):
    """A chunk of outcomes without their scores."""

    status: bytes
    code: bytes
    http: bytes
    attempts: bytes
    latency: bytes
    returned: bytes
    length: bytes
    docs: bytes
    scored: bytes
    details: dict[int, str] = field(default_factory=dict)
    connect: bytes = b""
    first_byte: bytes = b""
    took: bytes = b""
    total: bytes = b""
    hits: bytes = b""
    pages: bytes = b""
    overlap: bytes = b""
    resent: bytes = b""


class Dictionary:
    """Numbers document ids in the order they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, ids: Iterable[str]) -> "array[int]":
        """Return each id's number, giving new ones to new ids."""
        numbers = self._numbers
        return array("I", [numbers.setdefault(doc, len(numbers)) for doc in ids])

    @property
    def ids(self) -> list[str]:
        """All ids, by number."""
        return list(self._numbers)


def pack_columns(outcomes: Sequence[Outcome], dictionary: Dictionary) -> Columns:
    """Turn outcomes into columns, numbering their documents."""
    return Columns(
        status=bytes(STATUSES.index(outcome.status) for outcome in outcomes),
        code=bytes(CODES.index(outcome.code) + 1 if outcome.code else 0 for outcome in outcomes),
        http=array("H", [outcome.http_status or 0 for outcome in outcomes]).tobytes(),
        attempts=array("H", [outcome.attempts for outcome in outcomes]).tobytes(),
        latency=array(
            "f", [math.nan if o.latency_ms is None else o.latency_ms for o in outcomes]
        ).tobytes(),
        returned=array("I", [outcome.returned for outcome in outcomes]).tobytes(),
        length=array("I", [len(outcome.ids) for outcome in outcomes]).tobytes(),
        docs=dictionary.number(doc for outcome in outcomes for doc in outcome.ids).tobytes(),
        scored=bytes(outcome.scores is not None for outcome in outcomes),
        details={place: o.detail for place, o in enumerate(outcomes) if o.detail},
        connect=_pack_known("f", [o.connect_ms for o in outcomes]),
        first_byte=_pack_known("f", [o.first_byte_ms for o in outcomes]),
        took=_pack_known("f", [o.took_ms for o in outcomes]),
        total=_pack_known("d", [o.total for o in outcomes]),
        hits=_pack_known("d", [o.hits for o in outcomes]),
        pages=array("H", [o.pages for o in outcomes]).tobytes(),
        overlap=_pack_known("f", [o.text_overlap for o in outcomes]),
        resent=bytes(o.resent for o in outcomes) if any(o.resent for o in outcomes) else b"",
    )


def pack_scores(outcomes: Iterable[Outcome]) -> bytes:
    """Return the scores of all outcomes that kept them, one after the other, as float32."""
    return array("f", [score for o in outcomes for score in o.scores or ()]).tobytes()


def unpack_columns(columns: Columns, scores: bytes, ids: Mapping[int, str]) -> list[Outcome]:
    """Reverse `pack_columns` and `pack_scores`; `ids` maps numbers to ids."""
    http, attempts = _integers("H", columns.http), _integers("H", columns.attempts)
    returned, lengths = _integers("I", columns.returned), _integers("I", columns.length)
    docs, latency, kept = _integers("I", columns.docs), _floats(columns.latency), _floats(scores)
    known = _Known(columns, len(lengths))
    outcomes: list[Outcome] = []
    doc_at = score_at = 0
    for place, length in enumerate(lengths):
        ranking = [ids[number] for number in docs[doc_at : doc_at + length]]
        doc_at += length
        values = None
        if columns.scored[place]:
            values = list(kept[score_at : score_at + length])
            score_at += length
        code = columns.code[place]
        outcomes.append(
            Outcome(
                status=STATUSES[columns.status[place]],
                code=CODES[code - 1] if code else None,
                detail=columns.details.get(place, ""),
                http_status=http[place] or None,
                attempts=attempts[place],
                latency_ms=None if math.isnan(latency[place]) else latency[place],
                returned=returned[place],
                ids=ranking,
                scores=values,
                connect_ms=known.connect[place],
                first_byte_ms=known.first_byte[place],
                took_ms=known.took[place],
                total=_to_integer(known.total[place]),
                hits=_to_integer(known.hits[place]),
                pages=known.pages[place],
                text_overlap=known.overlap[place],
                resent=bool(known.resent[place]),
            )
        )
    return outcomes


class _Known:
    """The columns that a chunk may lack, filled up."""

    def __init__(self, columns: Columns, count: int) -> None:
        self.connect = _unpack_known("f", columns.connect, count)
        self.first_byte = _unpack_known("f", columns.first_byte, count)
        self.took = _unpack_known("f", columns.took, count)
        self.total = _unpack_known("d", columns.total, count)
        self.hits = _unpack_known("d", columns.hits, count)
        self.overlap = _unpack_known("f", columns.overlap, count)
        self.pages = _integers("H", columns.pages) if columns.pages else array("H", [1]) * count
        self.resent = columns.resent or bytes(count)


def _pack_known(kind: Literal["f", "d"], values: Sequence[float | None]) -> bytes:
    """Return a column, empty where it would hold nothing."""
    if all(value is None for value in values):
        return b""
    return array(kind, [math.nan if value is None else value for value in values]).tobytes()


def _unpack_known(kind: Literal["f", "d"], blob: bytes, count: int) -> list[float | None]:
    if not blob:
        return [None] * count
    column = array(kind)
    column.frombytes(blob)
    return [None if math.isnan(value) else value for value in column]


def _to_integer(value: float | None) -> int | None:
    return None if value is None else int(value)


def _integers(kind: Literal["H", "I"], blob: bytes) -> "array[int]":
    column = array(kind)
    column.frombytes(blob)
    return column


def _floats(blob: bytes) -> "array[float]":
    column = array("f")
    column.frombytes(blob)
    return column
