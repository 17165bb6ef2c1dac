"""Where the judged documents stand in the rankings: one look-up pass that all metrics share.

The pass is the whole cost of scoring, so it looks up the few judged ids and never numbers the
many returned ones; its working memory is that of a chunk of queries.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, compress, repeat
from typing import Any, Final, NamedTuple, Self

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.limits import MIN_GRADE
from worker.metrics.judgments import Judgments, count_up

CHUNK_PLACES: Final = 1 << 15
"""Places of rankings looked at together."""
LONG: Final = 64
"""Mean length from which a ranking is worth a step of its own."""
FEW: Final = 3
"""Judged documents up to which each is searched for, instead of each place looked up."""
_UNJUDGED: Final = MIN_GRADE - 1


class Hits(Struct, frozen=True, kw_only=True, eq=False):
    """Judged documents of n rankings, ordered by query and then by rank.

    One entry a judged document, its first occurrence: `query` (index), `rank` (from 1, the
    position as delivered) and `grade` are parallel. Of shape (n,): `answered`, whether there
    is a valid answer; `returned`, its length after the cut at the depth. The integers are
    narrow since there may be millions of hits; every bound of a set fits.
    """

    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    grade: NDArray[np.int16]
    answered: NDArray[np.bool_]
    returned: NDArray[np.int64]


class Found(NamedTuple):
    """Hits of a chunk of queries; parallel arrays, ordered by query and then by rank."""

    query: NDArray[np.int32]
    rank: NDArray[np.int32]
    grade: NDArray[np.int16]

    @classmethod
    def narrow(
        cls,
        query: NDArray[np.integer[Any]],
        rank: NDArray[np.integer[Any]],
        grade: NDArray[np.integer[Any]],
    ) -> Self:
        """Make hits of any integers."""
        return cls(query.astype(np.int32), rank.astype(np.int32), grade.astype(np.int16))


class _Chunk(NamedTuple):
    start: int
    lists: Sequence[Sequence[str]]
    grades: Sequence[dict[str, int]]
    returned: NDArray[np.int64]


def find_hits(
    judgments: Judgments, rankings: Sequence[Sequence[str] | None], *, depth: int
) -> Hits:
    """Look up every returned document; `rankings[i]` belongs to query i of `judgments`.

    A ranking of None stands for a request without a valid answer, an empty one is an answer.
    Places after `depth` are ignored. Repeats keep their places and are worth nothing there.

    Raises:
        ValueError: not one ranking a query, or a depth below 1.
    """
    if len(rankings) != judgments.n:
        raise ValueError(
            f"{len(rankings)} rankings for {judgments.n} queries; give None where none came"
        )
    if depth < 1:
        raise ValueError(f"depth is {depth!r}; give 1 or more")
    lists = [() if ranking is None else ranking for ranking in rankings]
    returned = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    for place in np.flatnonzero(returned > depth).tolist():
        lists[place] = lists[place][:depth]
    returned = np.minimum(returned, depth)
    found = _join(
        _look_up(chunk) if chunk.returned.mean() < LONG else _search(chunk)
        for chunk in _split(lists, judgments.grades, returned)
    )
    return Hits(
        query=found.query,
        rank=found.rank,
        grade=found.grade,
        answered=np.array([ranking is not None for ranking in rankings], dtype=np.bool_),
        returned=returned,
    )


def condense(hits: Hits) -> Hits:
    """Remove unjudged documents and repeats: the rank becomes the place among judged hits.

    A negative grade counts as judged and keeps its place (trec_eval's -J drops it). Source:
    Sakai, "Alternatives to Bpref", SIGIR 2007 (condensed lists).
    """
    n = len(hits.answered)
    return structs.replace(
        hits,
        rank=count_up(hits.query, n=n).astype(np.int32),
        returned=np.bincount(hits.query, minlength=n),
    )


def _join(parts: Iterator[Found]) -> Found:
    """Put the hits of consecutive chunks together."""
    none = np.empty(0, dtype=np.int16)
    columns = list(zip(Found.narrow(none, none, none), *parts, strict=True))
    return Found(*map(np.concatenate, columns))


def _split(
    lists: Sequence[Sequence[str]],
    grades: Sequence[dict[str, int]],
    returned: NDArray[np.int64],
) -> Iterator[_Chunk]:
    ends = np.cumsum(returned)
    start = 0
    while start < len(lists):
        budget = (ends[start - 1] if start else 0) + CHUNK_PLACES
        stop = max(int(np.searchsorted(ends, budget, side="right")), start + 1)
        yield _Chunk(start, lists[start:stop], grades[start:stop], returned[start:stop])
        start = stop


def _look_up(chunk: _Chunk) -> Found:
    """Look every place up in one pass without a step of Python a query: for short rankings."""
    returned = chunk.returned
    owners = chain.from_iterable(map(repeat, chunk.grades, returned.tolist()))
    grades = map(dict.get, owners, chain.from_iterable(chunk.lists), repeat(_UNJUDGED))
    grade = np.fromiter(grades, dtype=np.int16, count=int(returned.sum()))
    owner = np.repeat(np.arange(len(returned)), returned)
    several = np.bincount(owner[grade != _UNJUDGED], minlength=len(returned)) > 1
    grade[_find_repeats(chunk, several)] = _UNJUDGED
    at = np.flatnonzero(grade != _UNJUDGED)
    starts = np.cumsum(returned) - returned
    query = owner[at]
    return Found.narrow(query + chunk.start, at - starts[query] + 1, grade[at])


def _find_repeats(chunk: _Chunk, among: NDArray[np.bool_]) -> list[int]:
    """Return the places of some rankings whose document stands earlier in the same one."""
    distinct = chunk.returned.copy()
    # Consumed one by one: thousands of sets alive at once would wake the garbage collector.
    sizes = map(len, map(set, compress(chunk.lists, among.tolist())))
    distinct[among] = np.fromiter(sizes, dtype=np.int64)
    repeating = distinct < chunk.returned
    starts = np.cumsum(chunk.returned) - chunk.returned
    places: list[int] = []
    for start, ids in zip(
        starts[repeating].tolist(), compress(chunk.lists, repeating), strict=True
    ):
        first = _first_places(ids)
        places.extend(start + at for at, document in enumerate(ids) if first[document] != at)
    return places


def _search(chunk: _Chunk) -> Found:
    """Find the judged places of one ranking after the other: for long rankings."""
    ranks: list[int] = []
    grades: list[int] = []
    counts: list[int] = []
    for ids, judged in zip(chunk.lists, chunk.grades, strict=True):
        places = _find_few(ids, judged) if len(judged) <= FEW else _find_many(ids, judged)
        counts.append(len(places))
        ranks.extend(places)
        grades.extend(map(judged.__getitem__, map(ids.__getitem__, places)))
    query = np.repeat(np.arange(chunk.start, chunk.start + len(counts)), counts)
    return Found.narrow(
        query, np.array(ranks, dtype=np.int32) + 1, np.array(grades, dtype=np.int16)
    )


def _find_few(ids: Sequence[str], judged: dict[str, int]) -> list[int]:
    places = []
    for document in judged:
        try:
            places.append(ids.index(document))
        except ValueError:
            continue
    places.sort()
    return places


def _find_many(ids: Sequence[str], judged: dict[str, int]) -> list[int]:
    places = list(compress(range(len(ids)), map(judged.__contains__, ids)))
    found = [ids[place] for place in places]
    if len(set(found)) == len(found):
        return places
    first = _first_places(ids)
    return [place for place in places if first[ids[place]] == place]


def _first_places(ids: Sequence[str]) -> dict[str, int]:
    places = range(len(ids) - 1, -1, -1)
    # Filled from the end, the dictionary is left with each document's first place.
    return dict(zip(reversed(ids), places, strict=True))
