"""Outcomes as columns: a document-id dictionary for the run, rankings as uint32, no numpy.

Layout of a chunk (little endian, one entry a request unless said): `status` and `code` uint8
(a code is one above its place in `FailureCode`, 0 for none), `http` and `attempts` uint16,
`latency` float32 (NaN for none), `returned` and `length` uint32, `docs` uint32 (all rankings,
one after the other), `scored` uint8 (whether scores were kept), `details` by place. `connect`,
`first_byte`, `took`, `overlap` float32 and `total`, `hits` float64 (NaN for none), `pages` uint16,
`resent` and `texts` uint8 are empty where no outcome of the chunk tells any; `lifts` are by place.
Where `planes` is set, columns of wider numbers than a byte hold all first bytes, then all second
ones, and so on: what varies little stands together, which compresses a quarter better.
Scores are a separate float32 column, as they do not compress.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, field

from reteval.contract.leaks import Lift
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
    texts: bytes = b""
    lifts: dict[int, Lift] = field(default_factory=dict)
    planes: bool = False


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
        http=_lay(array("H", [outcome.http_status or 0 for outcome in outcomes])),
        attempts=_lay(array("H", [outcome.attempts for outcome in outcomes])),
        latency=_lay(
            array("f", [math.nan if o.latency_ms is None else o.latency_ms for o in outcomes])
        ),
        returned=_lay(array("I", [outcome.returned for outcome in outcomes])),
        length=_lay(array("I", [len(outcome.ids) for outcome in outcomes])),
        docs=_lay(dictionary.number(doc for outcome in outcomes for doc in outcome.ids)),
        scored=bytes(outcome.scores is not None for outcome in outcomes),
        details={place: o.detail for place, o in enumerate(outcomes) if o.detail},
        connect=_pack_known("f", [o.connect_ms for o in outcomes]),
        first_byte=_pack_known("f", [o.first_byte_ms for o in outcomes]),
        took=_pack_known("f", [o.took_ms for o in outcomes]),
        total=_pack_known("d", [o.total for o in outcomes]),
        hits=_pack_known("d", [o.hits for o in outcomes]),
        pages=_lay(array("H", [o.pages for o in outcomes])),
        overlap=_pack_known("f", [o.text_overlap for o in outcomes]),
        resent=bytes(o.resent for o in outcomes) if any(o.resent for o in outcomes) else b"",
        texts=bytes(o.texts for o in outcomes) if any(o.texts for o in outcomes) else b"",
        lifts={place: o.lift for place, o in enumerate(outcomes) if o.lift},
        planes=True,
    )


def pack_scores(outcomes: Iterable[Outcome]) -> bytes:
    """Return the scores of all outcomes that kept them, one after the other, as float32."""
    return array("f", [score for o in outcomes for score in o.scores or ()]).tobytes()


def read_numbers(columns: Columns) -> "array[int]":
    """Return the numbers of all documents of a chunk, ranking after ranking."""
    return _integers("I", columns.docs, columns)


def unpack_columns(
    columns: Columns, scores: bytes, ids: Mapping[int, str] | Sequence[str]
) -> list[Outcome]:
    """Reverse `pack_columns` and `pack_scores`; `ids` maps numbers to ids."""
    docs = list(map(ids.__getitem__, read_numbers(columns)))
    lengths = _integers("I", columns.length, columns)
    kept = array("f")
    kept.frombytes(scores)
    known = _Known(columns, len(lengths))
    outcomes: list[Outcome] = []
    doc_at = score_at = 0
    for place, length in enumerate(lengths):
        ranking = docs[doc_at : doc_at + length]
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
                http_status=known.http[place] or None,
                attempts=known.attempts[place],
                latency_ms=known.latency[place],
                returned=known.returned[place],
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
                texts=known.texts[place],
                lift=columns.lifts.get(place),
            )
        )
    return outcomes


class _Known:
    """The columns of a chunk as numbers; those that it lacks are filled up."""

    def __init__(self, columns: Columns, count: int) -> None:
        self.http = _integers("H", columns.http, columns)
        self.attempts = _integers("H", columns.attempts, columns)
        self.latency = _unpack_known("f", columns.latency, columns, count)
        self.returned = _integers("I", columns.returned, columns)
        self.connect = _unpack_known("f", columns.connect, columns, count)
        self.first_byte = _unpack_known("f", columns.first_byte, columns, count)
        self.took = _unpack_known("f", columns.took, columns, count)
        self.total = _unpack_known("d", columns.total, columns, count)
        self.hits = _unpack_known("d", columns.hits, columns, count)
        self.overlap = _unpack_known("f", columns.overlap, columns, count)
        pages = _integers("H", columns.pages, columns)
        self.pages = pages or array("H", [1]) * count
        self.resent = columns.resent or bytes(count)
        self.texts = columns.texts or bytes(count)


def _pack_known(kind: Literal["f", "d"], values: Sequence[float | None]) -> bytes:
    """Return a column, empty where it would hold nothing."""
    if all(value is None for value in values):
        return b""
    return _lay(array(kind, [math.nan if value is None else value for value in values]))


def _unpack_known(
    kind: Literal["f", "d"], blob: bytes, columns: Columns, count: int
) -> list[float | None]:
    if not blob:
        return [None] * count
    column = array(kind)
    column.frombytes(_gather(blob, column.itemsize) if columns.planes else blob)
    return [None if math.isnan(value) else value for value in column]


def _to_integer(value: float | None) -> int | None:
    return None if value is None else int(value)


def _integers(kind: Literal["H", "I"], blob: bytes, columns: Columns) -> "array[int]":
    column = array(kind)
    column.frombytes(_gather(blob, column.itemsize) if columns.planes else blob)
    return column


def _lay(column: "array[int] | array[float]") -> bytes:
    """Return the bytes of a column plane by plane."""
    blob, width = column.tobytes(), column.itemsize
    return b"".join(blob[plane::width] for plane in range(width))


def _gather(planes: bytes, width: int) -> bytearray:
    """Put the bytes of each number together again."""
    blob, count = bytearray(len(planes)), len(planes) // width
    for plane in range(width):
        blob[plane::width] = planes[plane * count : (plane + 1) * count]
    return blob
