import math
from collections.abc import Iterable
from typing import Any

import pytest

from reteval import _searching
from reteval._searching import Found, Tally, ask, ask_async, is_async, read_hit
from reteval.contract.runs import Progress
from reteval.contract.testsets import Query

QUERY = Query(id="q1", query="one")


class Integer:
    """An integer of another library, such as numpy's."""

    def __index__(self) -> int:
        """Say which one."""
        return 42

    def __int__(self) -> int:
        """Say which one."""
        return 42


@pytest.mark.parametrize(
    ("hit", "found"),
    [
        ("a", Found("a")),
        (7, Found(7)),
        (Integer(), Found(42)),
        (("a", 1), Found("a", 1.0)),
        ({"id": "a", "text": "x"}, Found("a")),
        ({"_id": 7, "_score": 2}, Found(7, 2.0)),
        ({"doc_id": "a", "score": None}, Found("a")),
    ],
)
def test_hit_is_read_in_each_form(hit: Any, found: Found) -> None:
    """An id, a pair, or an object such as an endpoint would answer."""
    assert read_hit(hit) == found


@pytest.mark.parametrize(
    ("hits", "error"),
    [
        ("doc-1", "TypeError: a list of hits is needed, not a str"),
        ({"id": "a"}, "TypeError: a list of hits is needed, not a dict"),
        ([None], "TypeError: a document id is a string or an integer, not a NoneType"),
        ([True], "TypeError: a document id is a string or an integer, not a bool"),
        ([{"text": "x"}], "KeyError: 'id'"),
        (None, "TypeError: 'NoneType' object is not iterable"),
        (["x" * 9_999], "ValueError: a document id is longer than"),
        (["\ud800"], "UnicodeEncodeError: 'utf-8' codec can't encode"),
        ([("a", "high")], "ValueError: could not convert string to float: 'high'"),
    ],
)
def test_what_is_no_list_of_hits_is_a_failure(hits: Any, error: str) -> None:
    """A wrong answer is that query's failure, and never an empty answer worth 0."""
    ranking = ask(lambda _query, _k: hits, QUERY, 5)
    assert (ranking.query_id, ranking.ids) == ("q1", [])
    assert ranking.error.startswith(error)


def test_answer_is_timed_and_keeps_its_order() -> None:
    """Ids and scores as given; scores only where every hit has one."""
    ranking = ask(lambda query, k: [(f"{query}-{n}", n) for n in range(k)], QUERY, 2)
    assert (ranking.ids, ranking.scores, ranking.error) == (["one-0", "one-1"], [0.0, 1.0], "")
    assert ranking.latency_ms is not None
    assert ask(lambda _query, _k: ["a", ("b", 1)], QUERY, 2).scores is None
    assert ask(lambda _query, _k: [("a", math.nan), ("b", 1)], QUERY, 2).scores is None
    assert ask(lambda _query, _k: (), QUERY, 2).ids == []


def test_long_errors_are_cut() -> None:
    """A traceback in a message does not fill the store."""

    def fail(_query: str, _k: int) -> list[str]:
        raise ValueError("x" * 9_999)

    assert len(ask(fail, QUERY, 1).error) == 500


def test_errors_that_cannot_be_sent_are_made_so() -> None:
    """Half a character, as names of files may hold, does not keep a failure from being recorded."""
    failed = _searching.failure_of(QUERY, OSError("no file \udcff"))
    assert failed.error == "OSError: no file ?"


async def test_coroutine_function_is_awaited() -> None:
    """The same, awaited; what it raises is a failure, too."""

    async def search(query: str, _k: int) -> list[str]:
        if query != "one":
            raise TimeoutError("slow")
        return ["a"]

    assert (await ask_async(search, QUERY, 1)).ids == ["a"]
    assert (await ask_async(search, Query(query="two"), 1)).error == "TimeoutError: slow"


def test_kind_of_function_is_told() -> None:
    """Coroutine functions and objects that are called like them, and no others."""

    async def search(_query: str, _k: int) -> list[str]:
        return []

    class Index:
        async def __call__(self, _query: str, _k: int) -> Iterable[str]:
            """Find nothing."""
            return ()

    assert is_async(search)
    assert is_async(Index())
    assert not is_async(lambda _query, _k: ())


def test_tally_shows_each_count() -> None:
    """From none to all, failures apart."""
    seen: list[Progress] = []
    tally = Tally(2, seen.append)
    tally.add(_searching.ask(lambda _query, _k: [], QUERY, 1))
    tally.add(_searching.failure_of(QUERY, ValueError("x")))
    assert [(one.done, one.total, one.failed) for one in seen] == [(0, 2, 0), (1, 2, 0), (2, 2, 1)]
