"""The walk over two stored sets finds what comparing them query by query does."""

import random
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from reteval.contract.differences import Change, ChangeCounts, DiffRow, Subject
from reteval.contract.testsets import Expect, Judgment, Query, Scale
from service.store.chunks import SIZE
from service.store.differences import Differences, compare_heads, compare_queries, count_changes
from service.store.keys import DEFAULT_TENANT
from service.store.staging import QueryList, StoredQuery
from service.store.store import Store
from tests.factories import query, stored_test_set


async def kept(store: Store, queries: Sequence[Query], name: str) -> QueryList:
    """Store queries and return them as they are read."""
    made = await stored_test_set(store, queries, name=name)
    return store.test_sets.open(DEFAULT_TENANT, made.id)


def numbered(count: int) -> list[Query]:
    """Return so many queries with two judgments each."""
    return [query(f"text {number}", **{f"d{number}": 2, "shared": 1}) for number in range(count)]


async def walk(before: QueryList, after: QueryList) -> tuple[list[DiffRow], Differences]:
    """Return all rows, and what was walked."""
    differences = Differences(before, after)
    return [row async for part in differences.rows() for row in part], differences


@pytest.mark.parametrize("seed", range(6))
async def test_walk_finds_every_difference(store: Store, seed: int) -> None:
    """Removed anywhere, added anywhere, changed anywhere, over several chunks."""
    rng = random.Random(seed)  # noqa: S311 - seeded changes, no secret
    before = numbered(SIZE * 3 + 17)
    after = [one for one in before if rng.random() > 0.01]
    for place in rng.sample(range(len(after)), 40):
        graded = [Judgment("shared", rng.choice([0, 1, 3]))]
        after[place] = replace(after[place], relevant=graded, tags=rng.choice([[], ["faq"]]))
    if seed % 2:
        after += [query(f"new {number}") for number in range(700)]
    if seed % 3 == 2:
        rng.shuffle(after)
    rows, differences = await walk(
        await kept(store, before, "before"), await kept(store, after, "after")
    )
    known = {one.id: one for one in before}
    expected = [row for one in after for row in compare_queries(known.pop(one.id, None), one)]
    expected += [row for one in known.values() for row in compare_queries(one, None)]
    assert rows == expected
    assert differences.changes.reordered is (seed % 3 == 2)
    assert differences.changes.queries.removed == len(known)


async def test_set_is_no_different_from_itself(store: Store) -> None:
    """No row, no count, nothing reordered."""
    queries = numbered(SIZE + 3)
    one, other = await kept(store, queries, "one"), await kept(store, queries, "other")
    rows, differences = await walk(one, other)
    assert rows == []
    assert differences.changes.queries == differences.changes.judgments == ChangeCounts()
    assert not differences.changes.reordered


async def test_chunks_that_are_the_same_are_not_read(store: Store) -> None:
    """One changed query in ten chunks takes reading that chunk alone."""
    before = numbered(SIZE * 10)
    after = [*before]
    after[SIZE * 7 + 3] = replace(after[SIZE * 7 + 3], relevant=[Judgment("shared", 3)])

    numbers = []

    class Counting(QueryList):
        """Notes which chunks are read."""

        async def read(self, number: int) -> list[StoredQuery]:
            """Note it, and read."""
            numbers.append(number)
            return await super().read(number)

    sides = [
        Counting(part._connection, part._key)
        for part in (await kept(store, before, "a"), await kept(store, after, "b"))
    ]
    changes = await count_changes(*sides)
    assert changes.judgments == ChangeCounts(removed=1, changed=1)
    assert set(numbers) == {7}


async def test_swapped_queries_are_reordered(store: Store) -> None:
    """Two queries that change places, in one chunk or over identical ones between, are told."""
    before = numbered(SIZE * 3)
    for first, second in ((3, 4), (5, SIZE * 2 + 5)):
        after = [*before]
        after[first], after[second] = after[second], after[first]
        rows, differences = await walk(
            await kept(store, before, "a"), await kept(store, after, f"b{second}")
        )
        assert rows == []
        assert differences.changes.reordered


def test_every_field_of_a_query_can_change() -> None:
    """Each is named; the order of tags, and who judged, are no change."""
    one = query("a", d=1)
    changed = replace(
        one,
        query="b",
        tags=["t"],
        split="tune",
        expect=Expect.NOTHING,
        cluster_id="c",
        source="log",
        parent="p",
        kind="k",
        fields={"lang": "pt"},
    )
    (row,) = compare_queries(one, changed)
    assert (row.subject, row.change, row.query) == (Subject.QUERY, Change.CHANGED, "b")
    assert row.fields == (
        *("query", "tags", "split", "expect", "cluster_id", "source", "parent", "kind", "fields"),
    )
    tagged = replace(one, tags=["x", "y"])
    assert list(compare_queries(tagged, replace(one, tags=["y", "x"]))) == []
    said = replace(one, relevant=[Judgment("d", 1, "anna")])
    assert list(compare_queries(one, said)) == []
    assert list(compare_queries(None, None)) == []


async def test_heads_differ_in_what_can_change_a_number(store: Store) -> None:
    """Scale, threshold, language, id rule and leniency; not the name."""
    one = await stored_test_set(store, [query()], name="a")
    other = replace(one, name="b", scale=Scale(max=4), relevant_from=2, id_rule="lower")
    assert compare_heads(one, other) == ("scale", "relevant_from", "id_rule")
