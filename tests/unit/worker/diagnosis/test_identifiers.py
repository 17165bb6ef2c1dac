"""What a run says about its ids: which finding, how grave, and the patch beside it."""

from collections.abc import Sequence

import pytest
from msgspec import UNSET

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.testsets import Query
from tests.unit.worker.diagnosis.findings import an_answer, codes, find, some_facts
from tests.unit.worker.diagnosis.ids.worlds import make_world, respell, seeded
from worker.diagnosis.facts import RunFacts
from worker.diagnosis.identifiers import find_id_trouble
from worker.diagnosis.ids.lists import IdLists

Code = DiagnosticCode


def facts_of(lists: IdLists) -> RunFacts:
    """Build the facts of a run that answered so."""
    outcomes = [an_answer(*ids) for ids in lists.returned]
    queries = [Query(id=query_id, query=query_id) for query_id in lists.query_ids]
    return some_facts(outcomes, judged=[set(ids) for ids in lists.judged], queries=queries)


def one_answer(returned: Sequence[str], judged: str) -> RunFacts:
    """Build the facts of a run of one query."""
    return some_facts([an_answer(*returned)], judged=[{judged}])


@pytest.mark.parametrize(
    ("returned", "judged", "cause"),
    [
        (" 42", "42", "white space"),
        ("doc-a", "DOC-A", "upper and lower case"),
        ("42.0", "42", "decimals, such as 42.0"),
        ("00042", "42", "zero padding"),
        ("0", "000", "zero padding"),
        ("index/42#chunk3", "42", "the number of a chunk"),
        ("42", "help:42", "a prefix on one side"),
        ("doc-0042", "42", "zero padding and a prefix"),
        ('"42"', "42", "quotes"),
        ("https://a.b/x/42", "/x/42", "scheme and host"),
    ],
)
def test_id_mismatch_names_the_likely_cause(returned: str, judged: str, cause: str) -> None:
    """Where a respelling would make ids meet, the fix says which; it is never applied."""
    finding = find(one_answer(["zzz", returned], judged), Code.ID_MISMATCH)
    assert finding.severity is Severity.BLOCK
    assert cause in finding.fix
    assert "Nothing was changed" in finding.fix
    assert finding.patch is not UNSET
    (pair,) = finding.evidence
    assert (pair["query_id"], pair["returned"], pair["judged"]) == ("q0", returned, judged)


def test_id_mismatch_without_a_visible_cause() -> None:
    """Ids with nothing in common: the usual causes are listed, the id field first."""
    finding = find(one_answer(["x"], "a"), Code.ID_MISMATCH)
    assert "wrong field" in finding.fix
    assert '"document.key"' in finding.fix
    assert finding.patch is UNSET
    assert finding.evidence == ({"query_id": "q0", "returned": ["x"], "judged": ["a"]},)


def test_id_mismatch_takes_the_cause_of_most_queries() -> None:
    """One accident does not outweigh the pattern of the others."""
    outcomes = [an_answer("A"), *(an_answer(f"x/{i}") for i in range(1, 6))]
    judged = [{"a"}, *({str(i)} for i in range(1, 6))]
    finding = find(some_facts(outcomes, judged=judged), Code.ID_MISMATCH)
    assert "5 of 6 answers" in finding.fix
    assert finding.patch == {"endpoint": {"id_rule": [{"op": "strip_prefix", "text": "x/"}]}}


def test_id_mismatch_of_judged_ids_asks_for_another_test_set() -> None:
    """What only the judged side can mend is said so."""
    world = respell(make_world("mixed", seeded(1)), returned=str.lower)
    finding = find(facts_of(world), Code.ID_MISMATCH)
    assert "upload the test set anew" in finding.fix
    rule = {"side": "judged", "ops": [{"op": "casefold"}]}
    assert finding.patch == {"test_set": {"id_rule": rule}}
    assert len(finding.evidence) == 5


def test_low_overlap_is_a_warning_with_and_without_a_remedy() -> None:
    """Few answers with a judged id: the search, or ids that differ for most of it."""
    world = make_world("doc", seeded(1))
    mixed = IdLists(
        query_ids=world.query_ids,
        judged=[
            ids if at >= 4 else [world.returned[at][0].upper()]
            for at, ids in enumerate(world.judged)
        ],
        returned=[[text.upper() for text in ids] for ids in world.returned],
    )
    finding = find(facts_of(mixed), Code.LOW_OVERLAP)
    assert finding.severity is Severity.WARN
    rule = {"side": "judged", "ops": [{"op": "upper"}]}
    assert finding.patch == {"test_set": {"id_rule": rule}}
    weak = IdLists(
        query_ids=world.query_ids,
        judged=world.judged,
        returned=[
            ids if at < 4 else ["doc-1", f"doc-x{at}"] for at, ids in enumerate(world.returned)
        ],
    )
    finding = find(facts_of(weak), Code.LOW_OVERLAP)
    assert "it is the search" in finding.fix
    assert finding.patch is UNSET


def test_no_better_than_chance_is_a_warning() -> None:
    """Dense numbers that coincide are not taken for a search that works."""
    rng = seeded(11)
    own = make_world("number", rng, documents=50)
    other = make_world("number", rng, documents=50, depth=50)
    lists = IdLists(query_ids=own.query_ids, judged=own.judged, returned=other.returned)
    finding = find(facts_of(lists), Code.NO_BETTER_THAN_CHANCE)
    assert finding.severity is Severity.WARN
    assert "p = " in finding.message


def test_partial_mismatch_names_the_odd_ids() -> None:
    """Some judged ids lack their zeros: the run is warned although most ids meet."""
    world = make_world("padded", seeded(2), documents=9_000)
    partly = IdLists(
        query_ids=world.query_ids,
        judged=[
            [text.lstrip("0") if text < "02000" else text for text in ids] for ids in world.judged
        ],
        returned=world.returned,
    )
    finding = find(facts_of(partly), Code.PARTIAL_ID_MISMATCH)
    assert finding.severity is Severity.WARN
    assert "can never be found" in finding.message
    assert finding.evidence
    rule = {"side": "judged", "ops": [{"op": "zfill", "n": 5}]}
    assert finding.patch == {"test_set": {"id_rule": rule}}


def test_swapped_queries_are_a_warning() -> None:
    """Judgments beside the wrong queries are no question of spelling."""
    world = make_world("doc", seeded(4), queries=30)
    lists = IdLists(
        query_ids=world.query_ids,
        judged=[*world.judged[1:], world.judged[0]],
        returned=world.returned,
    )
    finding = find(facts_of(lists), Code.QUERIES_SWAPPED)
    assert finding.severity is Severity.WARN
    assert finding.patch is UNSET


def test_sound_ids_are_no_finding() -> None:
    """Nothing is said where ids meet, or where judged ids of others alone come back."""
    assert find_id_trouble(facts_of(make_world("doc", seeded(1)))) is None
    others = some_facts(
        [an_answer(f"d{(i + 2) % 6}") for i in range(6)],
        judged=[{f"d{i}"} for i in range(6)],
    )
    assert Code.LOW_OVERLAP not in codes(others)
