"""A query of a comparison, as both runs answered it."""

import httpx

from reteval.contract.comparisons import Mover
from service.pages.compared_queries import find_neighbours
from service.store.store import Store
from tests.unit.service.pages.compared import Compared, asked, compared
from tests.unit.service.pages.markup import HOSTILE, Page, read


async def look(client: httpx.AsyncClient, ids: Compared, name: str) -> Page:
    """Read the page of a query."""
    answer = await client.get(f"{ids.path}/queries/{name}")
    assert answer.status_code == 200, answer.text
    return read(answer.text)


async def test_both_answers_stand_side_by_side(client: httpx.AsyncClient, store: Store) -> None:
    """Each document has its grade and where the other run has it; what is missing is named."""
    ids = await compared(client, store)
    page = await look(client, ids, "q1")
    for said in (
        HOSTILE,
        "mrr: 1.000 → 0.500",
        "mrr 1.000 0.500 ▼ -0.500",
        "1 d1 2 ✓ at 2",
        "2 d2 ? unjudged gone",
        "1 d3 ? unjudged ▲2",
        "2 d1 2 ✓ ▼1",
        "3 <i>d4</i> ? unjudged new",
        "1 of 2 relevant documents are not in the answer: 1 ✓ d9",
    ):
        assert said in page.plain, said
    assert f"/runs/{ids.baseline}/queries/q1" in page.links


async def test_queries_follow_each_other_by_their_move(
    client: httpx.AsyncClient, store: Store
) -> None:
    """The greatest move comes first; an id may hold what a path cannot."""
    ids = await compared(client, store)
    first = await look(client, ids, "a%2Fb%20%3F")
    assert "Move 1 of 2, greatest first. q1, -0.500 →" in first.plain
    second = await look(client, ids, "q1")
    assert f"{ids.path}/queries/a%2Fb%20%3F" in second.links


async def test_request_that_failed_says_why(client: httpx.AsyncClient, store: Store) -> None:
    """A side without an answer has its reason; such a query is in no order of moves."""
    ids = await compared(client, store)
    page = await look(client, ids, "q3")
    assert "failed 0 returned, 0 not judged. timeout: no answer in 10 s" in page.text
    assert "No documents." in page.text
    assert "mrr 1.000 - -" in page.plain
    assert "greatest first" not in page.text


async def test_run_that_is_gone_leaves_the_other(client: httpx.AsyncClient, store: Store) -> None:
    """Of a run that was deleted nothing is shown but that; with both gone the page is, too."""
    ids = await compared(client, store)
    await client.delete(f"/v1/runs/{ids.candidate}")
    page = await look(client, ids, "q1")
    assert "This run did not ask the query, or it has been deleted." in page.text
    assert "1 d1 2 ✓ gone" in page.text
    assert (await client.get(f"{ids.path}/queries/nothing")).status_code == 404


async def test_unfinished_comparison_is_led_to(client: httpx.AsyncClient, store: Store) -> None:
    """Before the end there are no queries to show."""
    ids = await asked(client, store)
    answer = await client.get(f"{ids.path}/queries/q1")
    assert (answer.status_code, answer.headers["location"]) == (303, ids.path)


def test_ends_of_the_order_have_one_neighbour() -> None:
    """The first has none before it, the last none after; a stranger none at all."""
    moved = [
        Mover(query_id=name, query=name, baseline=0, candidate=0, difference=0) for name in "abc"
    ]
    first, last = find_neighbours(moved, "a"), find_neighbours(moved, "c")
    assert (first.place, first.before, first.after) == (1, None, moved[1])
    assert (last.place, last.before, last.after) == (3, moved[1], None)
    assert find_neighbours(moved, "x").place is None
