"""A search function of your own, called query by query: what it returns, or how it failed."""

import inspect
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, TypeGuard

from msgspec import Struct

from reteval.contract.limits import MAX_ID_BYTES
from reteval.contract.rankings import Ranking
from reteval.contract.runs import Progress
from reteval.contract.testsets import Query

Hit = str | int | tuple[str | int, float] | Mapping[str, Any]
Search = Callable[[str, int], Iterable[Hit]]
AsyncSearch = Callable[[str, int], Awaitable[Iterable[Hit]]]
OnProgress = Callable[[Progress], object]
IDS: Final = ("id", "_id", "doc_id")
SCORES: Final = ("score", "_score")
_ERROR_CHARS: Final = 500


class Found(Struct, frozen=True):
    """One hit; `score` is None where the function gave none."""

    id: str | int
    score: float | None = None


class Tally:
    """Counts queries as they are done, and shows each count."""

    def __init__(self, total: int, on_progress: OnProgress) -> None:
        self._state = Progress(done=0, total=total, failed=0)
        self._show = on_progress
        self._show(self._state)

    def add(self, ranking: Ranking) -> None:
        """Count one more."""
        self._state = Progress(
            done=self._state.done + 1,
            total=self._state.total,
            failed=self._state.failed + bool(ranking.error),
        )
        self._show(self._state)


def is_async(search: Search | AsyncSearch) -> TypeGuard[AsyncSearch]:
    """Whether calling a function gives something to await."""
    call = getattr(search, "__call__", None)  # noqa: B004 - of an object, its method
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(call)


def ask(search: Search, query: Query, k: int) -> Ranking:
    """Call a function with one query; what it raises is recorded as that query's failure."""
    started = time.perf_counter()
    try:
        return ranking_of(query, search(query.query, k), started)
    except Exception as exc:  # noqa: BLE001 - a search that breaks is a finding, not our end
        return failure_of(query, exc)


async def ask_async(search: AsyncSearch, query: Query, k: int) -> Ranking:
    """Do what `ask` does with a coroutine function."""
    started = time.perf_counter()
    try:
        return ranking_of(query, await search(query.query, k), started)
    except Exception as exc:  # noqa: BLE001 - as above
        return failure_of(query, exc)


def ranking_of(query: Query, hits: Iterable[Hit], started: float) -> Ranking:
    """Return what a function found, with the time since it was called.

    Raises:
        TypeError, ValueError, KeyError: it is no list of hits.
    """
    if isinstance(hits, (str, bytes, Mapping)):
        raise TypeError(f"a list of hits is needed, not a {type(hits).__name__}")
    found = [read_hit(hit) for hit in hits]
    scores = [hit.score for hit in found if hit.score is not None and math.isfinite(hit.score)]
    return Ranking(
        query_id=query.id,
        ids=[hit.id for hit in found],
        scores=scores if found and len(scores) == len(found) else None,
        latency_ms=(time.perf_counter() - started) * 1_000,
    )


def failure_of(query: Query, exc: Exception) -> Ranking:
    """Return the record of a query whose search failed."""
    said = f"{type(exc).__name__}: {exc}"[:_ERROR_CHARS]
    return Ranking(query_id=query.id, error=said.encode(errors="replace").decode())


def read_hit(hit: Hit) -> Found:
    """Read a hit: an id, an id with its score, or an object that has one as `id` and `score`.

    >>> read_hit("a"), read_hit(("a", 0.5)), read_hit({"_id": 7, "_score": 2})
    (Found(id='a', score=None), Found(id='a', score=0.5), Found(id=7, score=2.0))

    Raises:
        TypeError, ValueError: it is none of these.
        KeyError: an object without an id.
    """
    if isinstance(hit, tuple):
        found, number = hit
        return Found(_id_of(found), float(number))
    if isinstance(hit, Mapping):
        name = next((name for name in IDS if name in hit), IDS[0])
        score = next((hit[name] for name in SCORES if hit.get(name) is not None), None)
        return Found(_id_of(hit[name]), None if score is None else float(score))
    return Found(_id_of(hit))


def _id_of(value: Any) -> str | int:
    # What the service would refuse fails here, one query instead of the whole upload.
    if isinstance(value, str):
        if len(value.encode()) > MAX_ID_BYTES:
            raise ValueError(f"a document id is longer than {MAX_ID_BYTES} bytes")
        return str(value)
    # Integers of numpy are none of Python's, but say which one they are.
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"a document id is a string or an integer, not a {type(value).__name__}")
