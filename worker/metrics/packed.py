"""Hits of rankings stored as numbers: no id of a document is touched, only those of judgments."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, count, repeat
from typing import Any, Final, NamedTuple, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from worker.metrics.hits import Hits
from worker.metrics.judgments import Judgments

_QUERY_SHIFT: Final = np.uint64(32)
_ABSENT: Final = -1
STEP_PLACES: Final = 1 << 18
"""Places looked at together; bounds the working memory."""


class Numbering(Struct, frozen=True, kw_only=True, eq=False):
    """The judged documents under the numbers that a run's id dictionary gives them.

    `judged` says of each number whether any query judges it, shape (size of the dictionary,).
    `keys` holds query index * 2^32 + number of each judgment whose document the run returned,
    ascending, and `grades` the grades beside them.
    """

    judged: NDArray[np.bool_]
    keys: NDArray[np.uint64]
    grades: NDArray[np.int16]

    @classmethod
    def build(cls, judgments: Judgments, ids: Sequence[str]) -> Self:
        """Find the judged documents among a run's `ids`, which stand by number; once a run."""
        wanted = set(chain.from_iterable(judgments.grades))
        met = compress(count(), map(wanted.__contains__, ids))
        numbers = {ids[number]: number for number in met}
        sizes = np.fromiter(map(len, judgments.grades), dtype=np.int64, count=judgments.n)
        total = int(sizes.sum())
        number = np.fromiter(
            map(numbers.get, chain.from_iterable(judgments.grades), repeat(_ABSENT)),
            dtype=np.int64,
            count=total,
        )
        grade = np.fromiter(
            chain.from_iterable(map(dict.values, judgments.grades)),
            dtype=np.int16,
            count=total,
        )
        query = np.repeat(np.arange(judgments.n), sizes)
        present = number != _ABSENT
        judged = np.zeros(len(ids), dtype=np.bool_)
        judged[number[present]] = True
        keys = _make_keys(query[present], number[present])
        order = np.argsort(keys)
        return cls(judged=judged, keys=keys[order], grades=grade[present][order])


class _Found(NamedTuple):
    """Hits as parallel arrays: query, rank, and the place of the judgment in the numbering."""

    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    place: NDArray[np.int64]


_NOTHING: Final = _Found(
    np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
)


class Rankings(Struct, frozen=True, kw_only=True, eq=False):
    """A chunk of stored rankings, one row a request.

    `docs` holds all of them one after the other as numbers of the run's dictionary, `lengths`
    how long each is. `query` is the index of each row's query in the judgments, or -1 for a
    row to leave out; `answered` says whether it is a valid answer.
    """

    docs: NDArray[np.uint32]
    lengths: NDArray[np.int64]
    query: NDArray[np.int64]
    answered: NDArray[np.bool_]


def find_hits_packed(
    judgments: Judgments, numbering: Numbering, chunks: Iterable[Rankings], *, depth: int
) -> Hits:
    """Look up stored rankings; the hits are those that `find_hits` finds in the same lists.

    Chunks are taken one by one and may come from a generator. A query that no row belongs to
    has no valid answer. Places after `depth` are ignored.

    Raises:
        ValueError: a depth below 1, a query with two rows, or lengths that do not add up.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth!r}; give 1 or more")
    answered = np.zeros(judgments.n, dtype=np.bool_)
    returned = np.zeros(judgments.n, dtype=np.int64)
    seen = np.zeros(judgments.n, dtype=np.int64)
    parts = [_NOTHING]
    for rows in chunks:
        kept = rows.query >= 0
        query = rows.query[kept]
        seen += np.bincount(query, minlength=judgments.n)
        answered[query] = rows.answered[kept]
        returned[query] = np.minimum(rows.lengths, depth)[kept]
        parts.extend(_find(numbering, rows, depth=depth))
    if (seen > 1).any():
        twice = judgments.query_ids[int(np.argmax(seen > 1))]
        raise ValueError(f"query {twice!r} has two rankings; give -1 for rows to leave out")
    found = _drop_repeats(_order(_Found(*map(np.concatenate, zip(*parts, strict=True)))))
    return Hits(
        query=found.query,
        rank=found.rank,
        grade=numbering.grades[found.place],
        answered=answered,
        returned=returned,
    )


def _find(numbering: Numbering, rows: Rankings, *, depth: int) -> Iterator[_Found]:
    ends = np.cumsum(rows.lengths)
    if len(rows.docs) != (ends[-1] if len(ends) else 0):
        raise ValueError(f"{len(rows.docs)} documents in rankings whose lengths add up to another")
    for start in range(0, len(rows.docs), STEP_PLACES):
        docs = rows.docs[start : start + STEP_PLACES]
        at = np.flatnonzero(np.take(numbering.judged, docs, mode="clip"))
        number, at = docs[at], at + start
        row = np.searchsorted(ends, at, side="right")
        rank = at - (ends - rows.lengths)[row] + 1
        query = rows.query[row]
        usable = (query >= 0) & (rank <= depth)
        query, rank, number = query[usable], rank[usable], number[usable]
        keys = _make_keys(query, number)
        place = np.searchsorted(numbering.keys, keys)
        hit = numbering.keys[np.minimum(place, len(numbering.keys) - 1)] == keys
        yield _Found(query[hit].astype(np.int32), rank[hit].astype(np.int32), place[hit])


def _order(found: _Found) -> _Found:
    if len(found.query) < 2 or (np.diff(found.query) >= 0).all():  # noqa: PLR2004  (a pair)
        return found
    order = np.argsort(found.query, kind="stable")
    return _Found(found.query[order], found.rank[order], found.place[order])


def _drop_repeats(found: _Found) -> _Found:
    """Keep each judgment's first place; every repeat of a judged document is one too many."""
    places = np.sort(found.place)
    if not (places[1:] == places[:-1]).any():
        return found
    _, first = np.unique(found.place, return_index=True)
    keep = np.sort(first)
    return _Found(found.query[keep], found.rank[keep], found.place[keep])


def _make_keys(query: NDArray[np.int64], number: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    return (query.astype(np.uint64) << _QUERY_SHIFT) | number.astype(np.uint64)
