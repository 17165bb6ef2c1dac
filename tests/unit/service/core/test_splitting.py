"""Dividing queries: sizes, groups that stay together, seeds, and what one more query moves."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.splits import HOLDOUT, TUNE, SplitRequest
from reteval.contract.testsets import Expect, Judgment, Query
from service.core.splitting import Divider, Division, share_out

SOURCES = ("", "faq", "log")


def a_query(number: int, **fields: object) -> Query:
    """Return a query with a text of its own; a string of digits is one no other has."""
    return Query(id=f"q{number}", query=f"text {number}", **fields)  # type: ignore[arg-type]


def divide(queries: Sequence[Query], **asked: object) -> Division:
    """Divide queries that come in two batches."""
    divider = Divider(SplitRequest(**asked), relevant_from=1)  # type: ignore[arg-type]
    half = len(queries) // 2
    divider.take(queries[:half])
    divider.take(queries[half:])
    return divider.divide()


def held(division: Division) -> set[str]:
    """Return the ids of what was held out."""
    return {query_id for query_id, split in division.splits.items() if split == HOLDOUT}


def components(queries: Sequence[Query]) -> list[set[str]]:
    """Return the ids that belong together, by merging what shares a mark."""
    groups: list[tuple[set[str], set[str]]] = []
    for query in queries:
        folded = " ".join(query.query.casefold().replace("!", " ").split())
        marks = {f"text {folded}", f"need {query.parent or query.id}"}
        marks |= {f"cluster {query.cluster_id}"} if query.cluster_id else set()
        ids = {query.id}
        for group in [group for group in groups if group[1] & marks]:
            groups.remove(group)
            ids |= group[0]
            marks |= group[1]
        groups.append((ids, marks))
    return [ids for ids, _ in groups]


@st.composite
def grouped(draw: st.DrawFn) -> list[Query]:
    """Draw queries of which some share a cluster, a text or a query they are variants of."""
    n = draw(st.integers(2, 40))
    queries = [
        a_query(
            number,
            cluster_id=draw(st.sampled_from(("", "", "a", "b", "c"))),
            source=draw(st.sampled_from(SOURCES)),
        )
        for number in range(n)
    ]
    for number in draw(st.lists(st.integers(0, n - 1), max_size=5)):
        queries[number].query = draw(st.sampled_from(("Same  text", "same text!", "SAME TEXT")))
    for number in range(draw(st.integers(0, 8))):
        parent = queries[draw(st.integers(0, n - 1))]
        queries.append(a_query(100 + number, parent=parent.id, kind="typo"))
    return queries


@given(
    sizes=st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1, max_size=9),
    percent=st.integers(1, 99),
    seed=st.integers(0, 9),
)
def test_shares_are_rounded_by_largest_remainder(
    sizes: dict[str, int], percent: int, seed: int
) -> None:
    """Each stratum is within one of its exact share, their sum is the rounded whole."""
    share = Fraction(percent, 100)
    quotas = share_out(sizes, share, seed)
    assert all(abs(quotas[name] - size * share) < 1 for name, size in sizes.items())
    assert sum(quotas.values()) == int(sum(sizes.values()) * share + Fraction(1, 2))
    left_out = [size * share - quotas[name] for name, size in sizes.items()]
    assert max(left_out) - min(left_out) <= 1


@given(st.integers(2, 300), st.integers(1, 99), st.integers(0, 5))
def test_single_queries_are_divided_to_the_query(n: int, percent: int, seed: int) -> None:
    """Without groups, every stratum holds out exactly its share."""
    queries = [a_query(number, source=SOURCES[number % 3]) for number in range(n)]
    division = divide(queries, holdout=percent / 100, seed=seed, stratify_by=["source"])
    sizes = Counter(f"source:{q.source}" if q.source else "no source" for q in queries)
    quotas = share_out(sizes, Fraction(percent, 100), seed)
    assert {s.name: (s.queries, s.holdout) for s in division.strata} == {
        name: (size, quotas[name]) for name, size in sizes.items()
    }
    assert division.groups == n
    assert len(held(division)) == division.count(HOLDOUT) == n - division.count(TUNE)


@given(grouped(), st.integers(1, 99), st.integers(0, 5))
def test_nothing_that_belongs_together_is_torn(
    queries: list[Query], percent: int, seed: int
) -> None:
    """Clusters, variants and equal texts are on one side, and every query is on some side."""
    division = divide(queries, holdout=percent / 100, seed=seed)
    assert division.splits.keys() == {query.id for query in queries}
    groups = components(queries)
    assert division.groups == len(groups)
    assert all(len({division.splits[each] for each in group}) == 1 for group in groups)


@given(grouped(), st.integers(1, 99), st.integers(0, 5), st.randoms())
def test_the_same_seed_divides_alike_in_any_order(
    queries: list[Query], percent: int, seed: int, random: object
) -> None:
    """The division hangs on ids and seed, not on the order of the upload."""
    asked = {"holdout": percent / 100, "seed": seed, "stratify_by": ["source"]}
    before = divide(queries, **asked)
    shuffled = list(queries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert divide(shuffled, **asked).splits == before.splits


@given(grouped(), st.integers(1, 99))
def test_a_group_misses_the_share_by_half_its_size_at_most(
    queries: list[Query], percent: int
) -> None:
    """The cut comes as near to the share as whole groups allow."""
    division = divide(queries, holdout=percent / 100)
    originals = {query.id for query in queries if not query.parent}
    largest = max(len(group & originals) for group in components(queries))
    share = int(len(originals) * Fraction(percent, 100) + Fraction(1, 2))
    assert abs(division.count(HOLDOUT) - share) <= largest / 2


@pytest.mark.parametrize("seed", range(20))
def test_queries_added_later_move_few(seed: int) -> None:
    """A tenth more queries, and of those there before under a twentieth change sides."""
    queries = [a_query(number, source=SOURCES[number % 3]) for number in range(1_100)]
    asked = {"holdout": 0.3, "seed": seed, "stratify_by": ["source", "length"]}
    before, after = held(divide(queries[:1_000], **asked)), held(divide(queries, **asked))
    known = {query.id for query in queries[:1_000]}
    assert len(before ^ (after & known)) < 50


def test_seeds_draw_differently() -> None:
    """Another seed holds out other queries."""
    queries = [a_query(number) for number in range(100)]
    draws = {frozenset(held(divide(queries, seed=seed))) for seed in range(10)}
    assert len(draws) == 10
    assert all(len(draw) == 30 for draw in draws)


def test_strata_are_named_by_what_was_asked_for() -> None:
    """Source, length, number of relevant documents and tag, in the order asked for."""
    judged = [Judgment("a", 1), Judgment("b", 2), Judgment("c", 0)]
    queries = [
        Query(id="1", query="one two", relevant=judged, tags=["faq"], source="log"),
        Query(id="2", query="one two three", relevant=judged),
        Query(id="3", query="weather", expect=Expect.NOTHING),
    ]
    by = ["source", "length", "relevant", "tag:faq"]
    names = {stratum.name for stratum in divide(queries, stratify_by=by).strata}
    assert names == {
        "source:log & length:2-3 & relevant:2-3 & tag:faq",
        "no source & length:2-3 & relevant:2-3 & not tag:faq",
        "no source & length:1 & expects nothing & not tag:faq",
    }


def test_variants_are_in_no_count() -> None:
    """A stratum counts queries; what was made from them only goes along."""
    queries = [a_query(1), a_query(2, parent="q1", kind="typo"), a_query(3), a_query(4)]
    (stratum,) = divide(queries, holdout=0.34).strata
    assert (stratum.name, stratum.queries, stratum.tune, stratum.holdout) == ("all", 3, 2, 1)
