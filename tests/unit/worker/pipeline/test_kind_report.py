from msgspec import structs

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from tests.unit.worker.pipeline.answers import (
    at_rank,
    hits,
    kind_of,
    many,
    perfect,
    query,
    report_on,
    send,
)


def test_a_reducing_kind_shows_recall() -> None:
    """Fewer words make other documents right too, so only recall of the judged ones counts."""
    evidence = send(
        many(8), lambda request: at_rank(request, 2 if request.kind == "short.k2" else 1),
        AdversarialRequest(kinds=["control.repeat", "short.k2"]),
    )  # fmt: skip
    report = report_on(evidence)
    short = kind_of(report, "short.k2")
    assert (short.headline, short.labels) == ("recall@10", "reducing")
    assert (short.clean, short.variant, short.verdict) == (1.0, 1.0, "no_change")
    assert "short.k2: labels reduce; recall@10 shown" in report.limits


def test_users_variants_are_reported_apart() -> None:
    """Under their own kind and source, with their parent's judgments or their own."""
    own = query("v2", "account gone", parent="q1", kind="colleague.words")
    queries = [
        query("q0"),
        query("q1"),
        query("v1", "pass wrod", parent="q0", kind="colleague.words"),
        query("v3", "passwrd", parent="q0", kind="typo.mixed"),
        own,
    ]
    queries[2].relevant = queries[3].relevant = []

    def endpoint(request: PlannedRequest) -> Outcome:
        right = {"v1": "right-q0", "v2": "right-v2", "v3": "right-q0"}
        return hits("noise", right.get(request.query_id, f"right-{request.query_id}"))

    report = report_on(send(queries, endpoint))
    hand = kind_of(report, "colleague.words")
    assert (hand.source, hand.family, hand.target) == ("user", "colleague", "by_hand")
    assert (hand.needs, hand.clean, hand.variant, hand.replicates) == (2, 0.5, 0.5, 1)
    assert "colleague.words: taken to keep the judgments of its query" in report.limits
    typos = [kind for kind in report.kinds if kind.kind == "typo.mixed"]
    assert [(kind.source, kind.needs) for kind in typos] == [("generated", 2), ("user", 1)]
    assert report.summary.kinds_run == 3


def test_examples_show_what_lost_most() -> None:
    """Each query once, by its worst variant, the largest loss first."""
    ranks = {"q0": 2, "q1": 5, "q2": 1}

    def endpoint(request: PlannedRequest) -> Outcome:
        if request.kind != "typo.mixed" or request.replicate == 0:
            return at_rank(request, 1)
        return at_rank(request, ranks[request.query_id])

    evidence = send(many(3), endpoint)
    shown = kind_of(report_on(evidence), "typo.mixed").examples
    assert [(each.query_id, each.before, each.after) for each in shown] == [
        ("q1", 1.0, 0.2),
        ("q0", 1.0, 0.5),
    ]
    assert shown[0].clean == evidence.queries[1].query


def test_latency_is_that_of_first_attempts_on_both_sides() -> None:
    """Clean and variant percentiles of the same queries, in milliseconds."""

    def endpoint(request: PlannedRequest) -> Outcome:
        return hits(f"right-{request.query_id}", ms=30.0 if request.kind == "typo.mixed" else 10.0)

    typo = kind_of(report_on(send(many(4), endpoint)), "typo.mixed")
    assert {name: (each.clean, each.variant) for name, each in typo.latency_ms.items()} == {
        "p50": (10.0, 30.0),
        "p95": (10.0, 30.0),
    }


def test_a_metric_without_a_cut_off_counts_to_the_depth() -> None:
    """Then the depth stands where k is shown."""
    report = report_on(send(many(2), perfect, metric=Metric("mrr"), depth=7))
    assert (report.metric, report.k) == ("mrr", 7)
    assert kind_of(report, "typo.mixed").overlap.k == 7


def test_content_words_are_shown_beside_the_drop() -> None:
    """The same slip costs a short query more, so their mean number is part of the result."""
    report = report_on(send([query("q0", "reset the forgotten password")], perfect))
    assert kind_of(report, "typo.mixed").content_words_mean == 3.0


def test_a_kind_without_its_data_says_so() -> None:
    """What concerns the whole set is the reason, in place of the general one."""
    evidence = send(many(3), perfect)
    kinds = tuple(
        structs.replace(kind, kind="misspelling.attested", not_applicable={"data_missing": 3})
        for kind in evidence.suite.kinds
        if kind.kind == "typo.mixed"
    )
    without = structs.replace(evidence, suite=structs.replace(evidence.suite, kinds=kinds))
    (missing,) = report_on(without).kinds
    assert (missing.verdict, missing.reason) == ("not_run", "data_missing")
