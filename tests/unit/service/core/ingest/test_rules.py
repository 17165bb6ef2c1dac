import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reteval.contract import limits
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.draft import ingest
from service.core.ingest.located import Located
from service.core.ingest.tally import MAX_DISTINCT_TAGS
from service.errors import InvalidError
from tests.unit.service.core.ingest.bodies import (
    DATA,
    HEAD,
    json_body,
    lines,
    only_refusal,
    query,
    refusal,
    take,
    take_json,
    take_ndjson,
)

CASES: Path = DATA.parent / "cases" / "metrics.json"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"relevant_ids": ["a", "b"], "grades": [1]}, "/grades"),
        ({"relevant_ids": ["a"], "grades": [1, 2]}, "/grades"),
        ({"relevant": [{"id": "a"}], "relevant_ids": ["a"]}, "/relevant_ids"),
        ({"relevant": [{"id": "a"}], "grades": [1]}, "/grades"),
        ({"grades": [1], "expect": "nothing"}, "/grades"),
        ({"relevant_ids": ["b", "a"], "grades": [1, 4]}, "/grades/1"),
        ({"relevant": [{"id": "a", "grade": 4}]}, "/relevant/0/grade"),
        ({"relevant": [{"id": "a", "grade": 1}, {"id": "a", "grade": 2}]}, "/relevant/1/id"),
        ({"relevant_ids": [42, "42"], "grades": [1, 2]}, "/relevant_ids/1"),
        ({"relevant_ids": ["a", ""]}, "/relevant_ids/1"),
        ({"relevant_ids": ["a\u0085"]}, "/relevant_ids/0"),
        ({"relevant_ids": ["é" * 257]}, "/relevant_ids/0"),
        ({"relevant_ids": [10**600]}, "/relevant_ids/0"),
        ({"relevant_ids": list(range(limits.MAX_JUDGMENTS_PER_QUERY + 1))}, ""),
        ({"query": "a\x00b"}, "/query"),
        ({"query": "é" * 4_097}, "/query"),
        ({"id": "a\x7f"}, "/id"),
        ({"id": "x" * 513}, "/id"),
        ({"cluster_id": "\t"}, "/cluster_id"),
        ({"source": "\n"}, "/source"),
        ({"split": "x" * 201}, "/split"),
        ({"tags": ["a", "b\n"]}, "/tags/1"),
        ({"tags": [""]}, "/tags/0"),
        ({"tags": [str(n) for n in range(limits.MAX_TAGS + 1)]}, "/tags"),
        ({"relevant_ids": ["a"], "expect": "nothing"}, "/expect"),
        ({"relevant_ids": []}, ""),
        ({"relevant_ids": ["a"], "grades": [0]}, ""),
        ({"kind": "typo"}, "/kind"),
    ],
)
def test_ingest_refuses_a_query_that_breaks_a_rule(fields: dict[str, Any], pointer: str) -> None:
    """Each rule names its place, in a document and in a stream, and says what to do."""
    bad = query(**fields)
    item = only_refusal(query("ok"), bad)
    assert (item.pointer, item.row, bool(item.fix)) == (f"/queries/1{pointer}", None, True)
    with pytest.raises(InvalidError) as caught:
        take_ndjson(lines(query("ok"), bad))
    assert [(item.pointer, item.row) for item in caught.value.errors] == [(pointer, 2)]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"kind": "typo", "parent": "nowhere"}, "/parent"),
        ({"kind": "typo", "parent": "self", "id": "self"}, "/parent"),
        ({"kind": "typo", "parent": "other"}, "/parent"),
        ({"parent": "clean"}, "/parent"),
        ({"parent": "clean", "kind": "typo", "expect": "nothing"}, "/expect"),
        ({"parent": "clean\n", "kind": "typo"}, "/parent"),
        ({"parent": "clean", "kind": "ty\npo"}, "/kind"),
    ],
)
def test_ingest_refuses_a_variant_that_breaks_a_rule(fields: dict[str, Any], pointer: str) -> None:
    """A variant needs a kind, a clean parent in the set, and has its parent's answers."""
    other = query("o", id="other", parent="clean", kind="typo")
    body = json_body(query(id="clean"), other, query("v", **fields))
    assert pointer in [item.pointer.removeprefix("/queries/2") for item in refusal(body)]


def test_ingest_accepts_a_variant_that_comes_before_its_parent() -> None:
    """The parent is looked up in the whole set; the variant needs no judgments of its own."""
    draft, written = take_json(
        json_body(query("jwtt", parent="p", kind="typo"), query("jwt", id="p"))
    )
    assert (draft.stats.queries, draft.stats.variants, written[0].relevant) == (1, 1, [])


@pytest.mark.parametrize(
    ("head", "pointer"),
    [
        ({"name": "a\n"}, "/name"),
        ({"name": "é" * 101}, "/name"),
        ({"language": "\x01"}, "/language"),
        ({"id_rule": "\x01"}, "/id_rule"),
        ({"relevant_from": 4}, "/relevant_from"),
    ],
)
def test_ingest_refuses_a_head_that_breaks_a_rule(head: dict[str, Any], pointer: str) -> None:
    """The head is checked by the same rules as the queries."""
    items = refusal(json_body(query(), **head))
    assert items[0].pointer == pointer


def test_ingest_names_both_places_when_an_id_is_used_twice() -> None:
    """The problem points at the second query and its message at the first."""
    item = only_refusal(query("a", id="x"), query("b"), query("c", id="x"))
    assert (item.pointer, "/queries/0" in item.message) == ("/queries/2/id", True)
    with pytest.raises(InvalidError, match="already used by row 1"):
        take_ndjson(lines(query("a", id="x"), query("b", id="x")))


def test_ingest_refuses_the_same_text_twice_without_ids() -> None:
    """Their derived ids are the same."""
    item = only_refusal(query("a"), query("a", relevant_ids=["e"]))
    assert (item.pointer, "/queries/0" in item.message) == ("/queries/1/query", True)


def test_ingest_refuses_a_set_without_queries() -> None:
    """An empty set has no mean."""
    assert only_refusal().pointer == "/queries"
    with pytest.raises(InvalidError, match="no queries"):
        take_ndjson(b"\n")


def test_ingest_refuses_more_queries_than_allowed() -> None:
    """The bound is part of the contract; reading stops there."""
    located = (Located(query=Query(query=str(n), relevant_ids=["d"])) for n in range(10**9))
    with pytest.raises(InvalidError, match="over 50,000 queries"):
        take(located)
    assert next(located).query.query == "50001"


def test_ingest_lists_twenty_problems_of_one_query_at_most() -> None:
    """A query with every grade wrong does not flood the answer."""
    bad = query(relevant_ids=list(range(30)), grades=[9] * 30)
    assert [item.pointer for item in refusal(json_body(bad))] == [
        f"/queries/0/grades/{n}" for n in range(20)
    ]


def test_ingest_refuses_more_distinct_tags_than_a_report_can_slice() -> None:
    """Tags make slices: one a query is a mistake."""
    many = [query(str(n), tags=[f"t{n}"]) for n in range(MAX_DISTINCT_TAGS + 1)]
    items = refusal(json_body(*many))
    assert [item.pointer for item in items] == [f"/queries/{MAX_DISTINCT_TAGS}/tags"]


def test_ingest_refuses_what_the_reader_refuses_when_nothing_else_is_wrong() -> None:
    """The error of a reader or a writer passes through untouched."""

    def broken() -> Any:
        raise InvalidError("from afar")
        yield

    with pytest.raises(InvalidError, match="from afar"):
        take(broken())


@pytest.mark.parametrize("text", ["", " ", "\n\t", "{{query}}", "%_%", "👩‍👩‍👧", "a" * 8_192])
def test_ingest_accepts_any_text_up_to_its_bound(text: str) -> None:
    """Odd queries are worth testing: a text is stored byte for byte, even an empty one."""
    _, (stored,) = take_json(json_body({"query": text, "expect": "nothing"}))
    assert stored.query == text


def test_ingest_accepts_expect_nothing_with_documents_judged_useless() -> None:
    """Grades under relevant_from do not contradict it."""
    draft, _ = take_json(json_body(query(relevant_ids=["a"], grades=[0], expect="nothing")))
    assert (draft.stats.expect_nothing, draft.stats.judgments) == (1, 1)


def test_ingest_refuses_as_the_shared_cases_say() -> None:
    """B19 and B6: impossible inputs are 422, each naming a place."""
    if not CASES.exists():
        pytest.skip("the shared cases are not beside this checkout")
    cases = {case["id"]: case for case in json.loads(CASES.read_text())}
    for body in [*cases["B19"]["refuse_each"], cases["B6"]["refuse"]]:
        assert refusal(json.dumps(body).encode())[0].pointer.startswith("/queries")


def test_ingest_accepts_what_the_shared_cases_score() -> None:
    """Every test set of the cases is taken, and B8 only with allow_unscorable."""
    if not CASES.exists():
        pytest.skip("the shared cases are not beside this checkout")
    cases = {case["id"]: case for case in json.loads(CASES.read_text())}
    for case in cases.values():
        if "test_set" in case:
            draft, _ = take_json(json.dumps(case["test_set"]).encode())
            assert draft.stats.queries == len(case["test_set"]["queries"])
    strict = cases["B8"]["test_set"] | {"allow_unscorable": False}
    assert [item.pointer for item in refusal(json.dumps(strict).encode())] == ["/queries/1"]


def test_ingest_writes_nothing_from_the_first_problem_on() -> None:
    """Batches stop where the set is known to be refused."""
    bad = [Located(query=Query(query=str(n)), row=n) for n in range(10)]
    good = [Located(query=Query(query=f"g{n}", relevant_ids=["d"])) for n in range(2_000)]
    written: list[Query] = []

    async def write(batch: list[Query]) -> None:
        written.extend(batch)

    with pytest.raises(InvalidError):
        asyncio.run(ingest(iter([*good[:1_200], *bad, *good[1_200:]]), HEAD, write))
    assert len(written) == 1_000


def test_head_defaults_are_those_of_the_contract() -> None:
    """An upload that says nothing gets the stated defaults."""
    draft, _ = take_json(json_body(query()))
    assert draft.head == TestSetHead()
