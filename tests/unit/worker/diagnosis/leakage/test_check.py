"""A whole check: what is found, counted, listed and said."""

import math
from itertools import permutations

import numpy as np
import pytest

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.leakage import LeakPlace, MetricWithout, PairSide
from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.testsets import Judgment, Query
from worker.diagnosis.leakage.check import FIRST_PAIRS, Material, check_leakage
from worker.diagnosis.leakage.documents import find_copies
from worker.diagnosis.leakage.listing import MAX_LISTED
from worker.diagnosis.leakage.subject import Subject

Code = DiagnosticCode
COPY = "To change how long a token stays valid set the expiry option"
TEXT = f"Session tokens are valid for one hour. {COPY} before the start."


def ask(query_id: str, text: str, *relevant: str, **more: str) -> Query:
    """Return a query with documents of grade 1."""
    return Query(id=query_id, query=text, relevant=[Judgment(doc) for doc in relevant], **more)


QUERIES = [
    ask("q1", "How do I reset my password?", "d1", split="tune", source="log"),
    ask("q2", "how to reset my password", "d1", split="holdout", source="log"),
    ask("q3", "HOW TO RESET MY PASSWORD", "d1", split="holdout", source="llm"),
    ask("q4", "error code E1042", "d2", split="tune"),
    ask("q5", "error code E1043", "d9", split="holdout"),
    ask("q6", COPY, "d3", split="holdout", source="llm"),
    ask("v1", "hw to reset my password", "d1", parent="q2", kind="typo"),
]


def test_a_clean_set_has_nothing() -> None:
    """Nothing found is said as nothing, with the reason where nobody could look."""
    checked = check_leakage(Material(test_set="ts", queries=[QUERIES[0]], relevant_from=1))
    report = checked.report
    assert (report.leaked, report.share, report.within, report.splits) == (0, 0.0, {}, ())
    assert (report.documents.reason, report.documents.share) == ("no_texts", None)
    assert (report.diagnostics, checked.pairs, report.cut) == ((), [], False)
    assert (report.clusters, report.largest_cluster) == (0, 0)


def test_splits_are_held_to_each_other() -> None:
    """Queries of the holdout that tune has, too, leaked; those of tune did not, nor variants."""
    report = check_leakage(Material(test_set="ts", queries=QUERIES, relevant_from=1)).report
    (overlap,) = report.splits
    assert (overlap.splits, overlap.queries, overlap.pairs) == (("holdout", "tune"), (2, 1), 2)
    assert overlap.shares == (0.5, 0.5)
    assert overlap.kinds == {LeakKind.NEAR: 2}
    assert (report.queries, report.leaked, report.share) == (6, 2, pytest.approx(1 / 3))
    assert {kind: (n.pairs, n.queries) for kind, n in report.within.items()} == {
        LeakKind.EXACT: (1, 2),
        LeakKind.NEAR: (2, 3),
    }
    assert (report.clusters, report.largest_cluster) == (1, 3)
    assert {name: (of.queries, of.leaked) for name, of in report.sources.items()} == {
        "log": (2, 1),
        "llm": (2, 1),
        "": (2, 0),
    }
    codes = [found.code for found in report.diagnostics]
    assert codes == [Code.LEAKED_QUERIES, Code.REPEATED_QUERIES]


@pytest.mark.parametrize(
    ("splits", "leaked"),
    [
        (("dev", "train"), 0),
        (("a", "b"), 2),
        (("Train", "test"), 1),
        (("a", ""), 0),
        (("a", "a"), 0),
    ],
)
def test_only_what_is_measured_leaks(splits: tuple[str, str], leaked: int) -> None:
    """Between splits for tuning nothing leaks, between two others both sides do."""
    queries = [
        ask(str(at), "reset my password", "d", split=split) for at, split in enumerate(splits)
    ]
    assert (
        check_leakage(Material(test_set="t", queries=queries, relevant_from=1)).report.leaked
        == leaked
    )


def test_a_list_is_held_to_the_set() -> None:
    """Each text has its place in the list as id; the list's queries count once."""
    against = [
        PairSide(id="1", text="Error code e1042!"),
        PairSide(id="2", text="error code E1049"),
        PairSide(id="3", text="code error E1043"),
    ]
    material = Material(test_set="ts", queries=QUERIES[3:5], relevant_from=1, against=against)
    checked = check_leakage(material)
    found = checked.report.against
    assert found
    assert (found.texts, found.queries, found.share) == (3, 2, 1.0)
    assert [kind.value for kind in found.kinds] == ["exact", "reordered"]
    assert [
        (pair.kind.value, pair.place, pair.query.id, pair.other.id) for pair in checked.pairs
    ] == [
        ("exact", LeakPlace.AGAINST, "q4", "1"),
        ("reordered", LeakPlace.AGAINST, "q5", "3"),
    ]
    assert checked.report.leaked == 2


def test_documents_are_held_to_queries() -> None:
    """What was judged for a query and what a run's hits had of it; the gravest copy counts."""
    lift = Lift(
        kind=LeakKind.LIFTED, run=4, length=12, containment=0.6, recall=0.9, excerpt="…", rank=2
    )
    seen = Outcome(status=OutcomeStatus.OK, ids=["a", "b"], texts=2)
    outcomes = {
        "q1": seen,
        "q2": Outcome(status=OutcomeStatus.OK, texts=1, hits=5, ids=["a"], lift=lift),
        "q6": Outcome(status=OutcomeStatus.OK, ids=["a", "b"], texts=2, lift=lift),
        "q4": Outcome(status=OutcomeStatus.OK, ids=["a"]),
    }
    corpus = {"d3": TEXT, "d1": "nothing of the kind", "q5": "error code e1043"}
    material = Material(
        test_set="ts", queries=QUERIES, relevant_from=1, outcomes=outcomes, corpus=corpus
    )
    checked = check_leakage(material)
    report = checked.report
    assert (report.documents.compared, report.documents.queries) == (4, 2)
    assert report.documents.exempt == 2
    copies = {pair.query.id: pair for pair in checked.pairs if pair.lift}
    assert (copies["q6"].kind, copies["q6"].other.id) == (LeakKind.VERBATIM, "d3")
    assert COPY in copies["q6"].other.text
    assert (copies["q2"].kind, copies["q2"].other.id) == (LeakKind.LIFTED, "hit 2")
    assert report.sources["llm"].lifted == 1
    assert [(one.query_id, one.document_id) for one in report.in_corpus] == [("q5", "q5")]
    assert report.ids_as_documents == ("q5",)
    codes = {found.code for found in report.diagnostics}
    assert {Code.LIFTED_QUERIES, Code.QUERIES_IN_CORPUS, Code.QUERY_IDS_AS_DOCUMENTS} <= codes
    hit = check_leakage(
        Material(test_set="t", queries=QUERIES, relevant_from=1, outcomes={"q6": outcomes["q6"]})
    )
    assert [pair.other.id for pair in hit.pairs if pair.lift] == ["b"]


def test_one_text_with_two_judgments_is_a_conflict() -> None:
    """Grades by document, null where one of the queries has none."""
    queries = [
        Query(id="a", query="delete account", relevant=[Judgment("d1", 3), Judgment("d2", 1)]),
        Query(id="b", query="Delete account!", relevant=[Judgment("d1", 1), Judgment("d2", 1)]),
        Query(id="c", query="delete account", relevant=[Judgment("d1", 3)]),
        Query(id="d", query="refund", relevant=[Judgment("d1", 3)]),
        Query(id="e", query="refund", relevant=[Judgment("d1", 3)]),
    ]
    report = check_leakage(Material(test_set="t", queries=queries, relevant_from=1)).report
    (conflict,) = report.conflicts
    assert conflict.query_ids == ("a", "b", "c")
    assert conflict.documents == {"d1": (3, 1, 3), "d2": (1, 1, None)}
    assert Code.CONFLICTING_JUDGMENTS in [found.code for found in report.diagnostics]


def test_other_words_for_the_same_documents_may_be_a_paraphrase() -> None:
    """Few relevant documents, exactly the same; not where numbers differ or many share a page."""
    queries = [
        ask("a", "cancel my subscription", "d1", "d2"),
        ask("b", "how can I stop paying", "d2", "d1"),
        ask("c", "stop it", "d1"),
        ask("d", "everything about plans", "p1", "p2", "p3", "p4"),
        ask("e", "what do plans cost", "p1", "p2", "p3", "p4"),
        ask("f", "error E1", "x"),
        ask("g", "mistake E2", "x"),
        *[ask(f"h{at}", f"{chr(97 + at) * 5} {chr(98 + at) * 6}", "hub") for at in range(21)],
    ]
    checked = check_leakage(Material(test_set="t", queries=queries, relevant_from=1))
    pairs = [(pair.kind.value, pair.query.id, pair.other.id) for pair in checked.pairs]
    assert pairs == [("possible_paraphrase", "a", "b")]
    assert checked.report.leaked == 0
    assert checked.report.within[LeakKind.POSSIBLE_PARAPHRASE].queries == 2
    assert [found.code for found in checked.report.diagnostics] == [Code.POSSIBLE_PARAPHRASES]


def test_an_exchanged_word_is_near_where_the_judgments_agree() -> None:
    """Half of the relevant documents in common make it one need, and then it leaks."""
    text = "what is the {} way to reset a password"
    for shared, kind in (("d1", LeakKind.NEAR), ("d9", LeakKind.POSSIBLE_PARAPHRASE)):
        queries = [
            ask("a", text.format("best"), "d1", "d2", split="tune"),
            ask("b", text.format("easiest"), shared, split="test"),
        ]
        checked = check_leakage(Material(test_set="t", queries=queries, relevant_from=1))
        (pair,) = checked.pairs
        assert (pair.kind, pair.place) == (kind, LeakPlace.BETWEEN)
        assert checked.report.leaked == (kind is LeakKind.NEAR)


def test_a_run_is_told_without_what_leaked() -> None:
    """Means over all values, without leaked queries, and over these; undefined ones are in none."""
    material = Material(
        test_set="t",
        queries=QUERIES,
        relevant_from=1,
        asked=("q1", "q2", "q3", "q4"),
        columns={
            "mrr": np.array([0.5, 1.0, 1.0, math.nan]),
            "map": np.array([math.nan] * 4),
        },
    )
    metrics = check_leakage(material).report.metrics
    assert metrics == {
        "mrr": MetricWithout(
            n=3, mean=pytest.approx(2.5 / 3), n_without=1, mean_without=0.5, mean_leaked=1.0
        ),
        "map": MetricWithout(n=0, mean=None, n_without=0, mean_without=None, mean_leaked=None),
    }


def test_what_is_listed_is_bounded() -> None:
    """Copies pair up by the million: all are counted, some are listed, a few in the report."""
    queries = [
        ask(f"{text}-{at}", f"{text} {text[::-1]} my password{'s' * (at % 2)}", "d")
        for text in ("".join(letters) for letters in permutations("abcde", 4))
        for at in range(14)
    ]
    checked = check_leakage(Material(test_set="t", queries=queries, relevant_from=1))
    report = checked.report
    assert report.within[LeakKind.EXACT].pairs == 120 * 2 * (7 * 6 // 2)
    assert report.within[LeakKind.DUPLICATE].pairs >= 120 * 7 * 7
    assert report.listed[LeakKind.EXACT] == report.listed[LeakKind.DUPLICATE] == MAX_LISTED
    assert report.pairs == tuple(checked.pairs[:FIRST_PAIRS])
    assert report.largest_cluster >= 14


def test_comparisons_with_documents_are_bounded() -> None:
    """Beyond a number of pairs no more is measured, and that is said."""
    queries = [ask("a", COPY, "d3", "d4"), ask("b", COPY + " now", "d3")]
    corpus = {"d3": TEXT, "d4": TEXT}
    for most, compared in ((1, {0}), (3, {0, 1})):
        copies = find_copies(Subject.read(queries), {}, corpus, most=most)
        assert (copies.compared, copies.cut) == (compared, True)
    assert not find_copies(Subject.read(queries), {}, corpus).cut


def test_splits_beyond_the_largest_are_not_told_apart() -> None:
    """Ten splits are; a query of another one is in none."""
    queries = [
        ask(f"{split}-{at}", f"{'abcdefghijklm'[split] * 9} {at * 7}", "d", split=f"s{split}")
        for split in range(11)
        for at in range(2 if split else 1)
    ]
    queries.append(ask("again", "aaaaaaaaa 0", "d", split="s1"))
    report = check_leakage(Material(test_set="t", queries=queries, relevant_from=1)).report
    assert report.splits == ()
    assert report.within[LeakKind.EXACT].pairs == 1
