"""Rankings without an endpoint: from a file, from memory, or from a function of your own."""

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from reteval._requests import Call, Part
from reteval.contract.rankings import Ranking, RankingsHead
from reteval.contract.runs import Run
from reteval.contract.testsets import Query

UPLOAD_S: Final = 300.0
Hits = Sequence[str | int]
Search = Callable[[str, int], Hits]
AsyncSearch = Callable[[str, int], Awaitable[Hits]]
Rankings = str | os.PathLike[str] | Iterable[Ranking]


def score_rankings(head: RankingsHead | Mapping[str, Any], rankings: Rankings) -> Call[Run]:
    """Build the upload of rankings: a file (TREC run, ranx JSON, JSON lines), or rows.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a head that breaks a rule of its struct.
    """
    checked = head if isinstance(head, RankingsHead) else msgspec.convert(head, RankingsHead)
    return Call(
        method="POST",
        path="/v1/rankings",
        expect=Run,
        parts=(
            Part(name="request", filename="request.json", content=msgspec.json.encode(checked)),
            Part(name="rankings", filename="rankings", content=_read(rankings)),
        ),
        keyed=True,
        extra_s=UPLOAD_S,
    )


def ask(search: Search, query: Query, k: int) -> Ranking:
    """Call a function with one query; what it raises is recorded as that query's failure."""
    try:
        return Ranking(query_id=query.id, ids=list(search(query.query, k)))
    except Exception as exc:  # noqa: BLE001 - a search that breaks is a finding, not our end
        return _failed(query, exc)


async def ask_async(search: AsyncSearch, query: Query, k: int) -> Ranking:
    """Do what `ask` does with a coroutine function."""
    try:
        return Ranking(query_id=query.id, ids=list(await search(query.query, k)))
    except Exception as exc:  # noqa: BLE001 - as above
        return _failed(query, exc)


def head_for(test_set: str, k: int, options: Mapping[str, Any]) -> RankingsHead:
    """Return the head of an upload that a function's answers go with."""
    return msgspec.convert({"test_set": test_set, "depth": k, **options}, RankingsHead)


def _failed(query: Query, exc: Exception) -> Ranking:
    return Ranking(query_id=query.id, error=f"{type(exc).__name__}: {exc}"[:500])


def _read(rankings: Rankings) -> bytes:
    if isinstance(rankings, (str, os.PathLike)):
        return Path(rankings).read_bytes()
    return msgspec.json.Encoder().encode_lines(list(rankings))
