"""Which pages are asked for, and when no more are."""

from typing import Any

import pytest

from reteval.contract.endpoints import Endpoint, Paging, PagingKind
from worker.search.mapping import Page
from worker.search.paging import Pager
from worker.search.placeholders import Values


def page(hits: int, cursor: Any = None) -> Page:
    """Return a page of so many hits."""
    return Page([f"d{n}" for n in range(hits)], None, cursor=cursor)


def pager(kind: PagingKind, *, depth: int = 25, overfetch: int = 1, **fields: Any) -> Pager:
    """Plan pages of ten."""
    paging = Paging(kind=kind, **{"size": 10, **fields})
    endpoint = Endpoint(url="http://h/", paging=paging, overfetch=overfetch)
    return Pager.plan(endpoint, depth)


def walk(planned: Pager, pages: list[Page]) -> list[Values]:
    """Return the places asked for while the endpoint answers with these pages."""
    places: list[Values] = []
    place: Values | None = planned.begin()
    while place is not None:
        places.append(place)
        place = planned.go_on(place, pages[: len(places)])
    return places


def test_one_request_where_nothing_pages() -> None:
    """Without paging, everything is asked for at once, parts of documents counted in."""
    planned = Pager.plan(Endpoint(url="http://h/", overfetch=3), 20)
    assert (planned.k, walk(planned, [page(5)])) == (60, [{}])


@pytest.mark.parametrize(
    ("kind", "fields", "places"),
    [
        (PagingKind.OFFSET, {}, [0, 10, 20]),
        (PagingKind.PAGE, {}, [1, 2, 3]),
        (PagingKind.PAGE, {"start": 0}, [0, 1, 2]),
        (PagingKind.OFFSET, {"start": 1}, [1, 11, 21]),
    ],
)
def test_pages_until_enough_hits(
    kind: PagingKind, fields: dict[str, Any], places: list[int]
) -> None:
    """Offsets grow by the page, page numbers by one, until the depth is filled."""
    assert walk(pager(kind, **fields), [page(10)] * 9) == [{kind: place} for place in places]


def test_pages_until_a_short_one() -> None:
    """A page that is not full is the last; so is an empty one."""
    assert len(walk(pager(PagingKind.PAGE), [page(10), page(9)])) == 2
    assert len(walk(pager(PagingKind.PAGE), [page(10), page(0)])) == 2


def test_pages_until_the_bound() -> None:
    """No search sends more than `max_pages` requests."""
    assert len(walk(pager(PagingKind.OFFSET, depth=1_000, max_pages=4), [page(10)] * 9)) == 4


def test_pages_are_no_larger_than_what_is_wanted() -> None:
    """A shallow search asks for its depth only, once."""
    planned = pager(PagingKind.OFFSET, depth=2, overfetch=2)
    assert (planned.k, len(walk(planned, [page(4)]))) == (4, 1)


@pytest.mark.parametrize("last", [None, "", "c1"])
def test_a_cursor_is_followed_until_it_ends(last: str | None) -> None:
    """No cursor, an empty one or the same again ends it; page sizes may vary."""
    answers = [page(3, "c1"), page(3, last), page(3, "never")]
    planned = pager(PagingKind.CURSOR, next="next", start="*")
    assert walk(planned, answers) == [{"cursor": "*"}, {"cursor": "c1"}]


def test_a_cursor_starts_as_null() -> None:
    """Unless told otherwise, the first request has no cursor."""
    planned = pager(PagingKind.CURSOR, next="next")
    assert walk(planned, [page(3, 7), page(0, 9)]) == [{"cursor": None}, {"cursor": 7}]
