import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reteval.contract.hostile import HOSTILE_CLEAN, HOSTILE_GROUPS, Expectation
from reteval.contract.testsets import Query
from worker.adversarial.hostile import plan_hostile
from worker.adversarial.hostile_pack import CASES
from worker.adversarial.unjudged import is_unjudged

SHARED = Path(__file__).parents[5] / "shared" / "cases" / "adversarial.json"
QUERIES = [
    Query(id="q1", query="reset my password"),
    Query(id="q2", query='what about "quotes"?'),
    Query(id="q3", query="annual leave"),
]
LIVE = re.compile(
    r"alert|onerror|javascript:|drop\s+table|delete\s+from|union\s+select|ignore", re.IGNORECASE
)


def load_shared() -> list[dict[str, Any]]:
    """Read the strings kept beside the project; none where the file is not at hand."""
    return json.loads(SHARED.read_text("utf-8"))["hostile"] if SHARED.exists() else []


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this checkout")
def test_every_shared_string_is_sent_and_expects_the_same() -> None:
    """Text, class and the clean form of it agree with ours."""
    ours = {case.text: case for case in CASES}
    rows = load_shared()
    assert rows
    for row in rows:
        expect, _, clean = row["expect"].partition(":")
        case = ours[row["text"]]
        assert (case.name, expect) == (case.name, case.expect)
        assert clean in {"", case.clean}


def test_the_groups_are_as_large_as_the_contract_says() -> None:
    """With a plain query at hand nothing is left out, and estimates are exact."""
    planned = {
        group: len(plan_hostile([group], seed=0, queries=QUERIES)) for group in HOSTILE_GROUPS
    }
    assert planned == HOSTILE_GROUPS
    assert {case.group for case in CASES} == set(HOSTILE_GROUPS)


def test_names_and_texts_are_unique() -> None:
    """A case is found again by its name."""
    assert len({case.name for case in CASES}) == len(CASES)
    assert len({case.text for case in CASES}) == len(CASES)


def test_what_expects_hits_or_the_same_list_has_something_to_be_held_against() -> None:
    """Plain words of its own, or the query that it wraps; never both."""
    for case in CASES:
        needs_partner = case.expect in {Expectation.HITS_EXPECTED, Expectation.SAME_AS_CLEAN}
        assert not (case.clean and case.wraps)
        assert case.wraps == ("{}" in case.text and case.name.startswith("wrap."))
        assert bool(case.clean or case.wraps) >= needs_partner


def test_no_string_carries_a_live_payload() -> None:
    """Nothing that runs, deletes or overrules anything, in whichever group."""
    assert [case.name for case in CASES if LIVE.search(case.text)] == []


def test_every_string_survives_json() -> None:
    """No half characters: what is sent and reported can be encoded."""
    for request in plan_hostile(HOSTILE_GROUPS, seed=0, queries=QUERIES):
        assert msgspec.json.decode(msgspec.json.encode(request), type=type(request)) == request


def test_plain_partners_follow_their_case() -> None:
    """Under the same id, without the syntax; wrapping strings name the query instead."""
    planned = plan_hostile(["hostile"], seed=3, queries=QUERIES)
    partners = {each.query_id: each.text for each in planned if each.kind == HOSTILE_CLEAN}
    assert partners["quote.inch"] == "5 pipe elbow"
    odd = {each.query_id: each for each in planned if each.kind != HOSTILE_CLEAN}
    assert odd["quote.inch"].kind == "hostile.quote.inch"
    wrapping = odd["wrap.quote"]
    assert wrapping.original in {"reset my password", "annual leave"}
    assert wrapping.text == f'"{wrapping.original}'
    assert "wrap.quote" not in partners
    assert all(is_unjudged(each) for each in planned)


def test_wrapped_queries_are_seeded_and_plain() -> None:
    """The same seed wraps the same queries, and one with syntax of its own is never wrapped."""
    one = plan_hostile(["hostile"], seed=1, queries=QUERIES)
    assert one == plan_hostile(["hostile"], seed=1, queries=QUERIES)
    assert one != plan_hostile(["hostile"], seed=2, queries=QUERIES)
    assert QUERIES[1].query not in {each.original for each in one}


def test_without_a_plain_query_nothing_is_wrapped() -> None:
    """The fixed strings are still sent."""
    planned = plan_hostile(["hostile"], seed=1, queries=[QUERIES[1]])
    names = Counter(each.query_id.startswith("wrap.") for each in planned)
    assert names == {False: HOSTILE_GROUPS["hostile"] - sum(case.wraps for case in CASES)}


def test_groups_are_only_sent_when_named() -> None:
    """What looks like markup, SQL or an instruction is no part of the everyday group."""
    everyday = {each.query_id for each in plan_hostile(["hostile"], seed=0, queries=QUERIES)}
    assert not {case.name for case in CASES if case.group != "hostile"} & everyday
    markup = plan_hostile(["hostile.markup"], seed=0, queries=QUERIES)
    assert all(each.query_id.startswith("markup.") for each in markup)


def test_an_unknown_group_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(ValueError, match=r"hostile\.markup"):
        plan_hostile(["hostile.nothing"], seed=0, queries=QUERIES)
