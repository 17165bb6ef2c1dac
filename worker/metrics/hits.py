"""Where the judged documents stand in the rankings: one look-up pass that all metrics share."""

from collections.abc import Iterable, Sequence
from itertools import chain, compress, repeat
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.limits import MIN_GRADE
from worker.metrics.judgments import Judgments, count_up

_UNJUDGED: Final = MIN_GRADE - 1


class Hits(Struct, frozen=True, kw_only=True, eq=False):
    """Judged documents of n rankings, ordered by query and then by rank.

    One entry a judged document, its first occurrence: `query` (index), `rank` (from 1, the
    position as delivered) and `grade` are parallel. Of shape (n,): `answered`, whether there
    is a valid answer; `returned`, its length after the cut at the depth; `duplicates`, how
    many of those places repeat a document.
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    grade: NDArray[np.int64]
    answered: NDArray[np.bool_]
    returned: NDArray[np.int64]
    duplicates: NDArray[np.int64]


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
    lists = [_cut(ranking, depth) for ranking in rankings]
    returned = _count(lists)
    duplicates = returned - _count(map(set, lists))
    query = np.repeat(np.arange(judgments.n), returned)
    place = count_up(query, n=judgments.n)
    grade = _look_up(judgments.grades, lists, returned)
    found = grade != _UNJUDGED
    _drop_repeats(found, lists, returned=returned, duplicates=duplicates)
    return Hits(
        query=query[found],
        rank=place[found],
        grade=grade[found],
        answered=np.array([ranking is not None for ranking in rankings], dtype=np.bool_),
        returned=returned,
        duplicates=duplicates,
    )


def condense(hits: Hits) -> Hits:
    """Remove unjudged documents and repeats: the rank becomes the place among judged hits.

    A negative grade counts as judged and keeps its place (trec_eval's -J drops it). Source:
    Sakai, "Alternatives to Bpref", SIGIR 2007 (condensed lists).
    """
    n = len(hits.answered)
    return structs.replace(
        hits,
        rank=count_up(hits.query, n=n),
        returned=np.bincount(hits.query, minlength=n),
        duplicates=np.zeros(n, dtype=np.int64),
    )


def _cut(ranking: Sequence[str] | None, depth: int) -> Sequence[str]:
    if ranking is None:
        return ()
    return ranking if len(ranking) <= depth else ranking[:depth]


def _count(lists: Iterable[Sequence[str] | set[str]]) -> NDArray[np.int64]:
    # Consumed one by one: thousands of sets alive at once would wake the garbage collector.
    return np.fromiter(map(len, lists), dtype=np.int64)


def _look_up(
    grades: Sequence[dict[str, int]], lists: Sequence[Sequence[str]], returned: NDArray[np.int64]
) -> NDArray[np.int64]:
    total = int(returned.sum())
    owners = chain.from_iterable(map(repeat, grades, returned.tolist()))
    documents = chain.from_iterable(lists)
    found = map(dict.get, owners, documents, repeat(_UNJUDGED))
    return np.fromiter(found, dtype=np.int64, count=total)


def _drop_repeats(
    found: NDArray[np.bool_],
    lists: Sequence[Sequence[str]],
    *,
    returned: NDArray[np.int64],
    duplicates: NDArray[np.int64],
) -> None:
    """Clear `found` at every place but a document's first; rare, so one query at a time."""
    starts = np.cumsum(returned) - returned
    repeating = duplicates > 0
    for start, ids in zip(starts[repeating].tolist(), compress(lists, repeating), strict=True):
        places = range(len(ids) - 1, -1, -1)
        # Filled from the end, the dictionary is left with each document's first place.
        first = dict(zip(reversed(ids), places, strict=True))
        window = found[start : start + len(ids)]
        keep = np.zeros(len(ids), dtype=np.bool_)
        keep[list(first.values())] = True
        window &= keep
