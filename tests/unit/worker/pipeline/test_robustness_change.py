from collections.abc import Sequence

import pytest
from msgspec import structs
from scipy import stats

from reteval.contract.outcomes import Outcome, PlannedRequest, VariantRow
from reteval.contract.robustness import KindChange
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Query
from tests.unit.worker.pipeline.answers import (
    Endpoint,
    at_rank,
    failed,
    hits,
    literal,
    many,
    perfect,
    query,
    send,
)
from worker.pipeline.robustness import robustness
from worker.pipeline.robustness_change import Attack, compare_robustness, gather_attack
from worker.pipeline.statuses import name_status
from worker.pipeline.variants import value_variants

REQUEST = AdversarialRequest(seed=3, kinds=["typo.mixed", "short.k2"], severities=[1])


def attack(
    queries: Sequence[Query], endpoint: Endpoint, request: AdversarialRequest = REQUEST
) -> Attack:
    """Run a suite and read it back as it is stored: the report and a row for each variant."""
    evidence = send(queries, endpoint, request)
    values, clean = (column.tolist() for column in value_variants(evidence))
    sent = zip(evidence.plan, evidence.outcomes, strict=True)
    rows = [
        VariantRow(
            query_id=each.query_id,
            kind=each.kind,
            severity=each.severity,
            replicate=each.replicate,
            original=each.original,
            text=each.text,
            ops=each.ops,
            status=name_status(outcome),
        )
        for each, outcome in sent
        if each.kind
    ]
    return gather_attack(
        robustness(evidence),
        [
            structs.replace(
                row,
                value=None if value != value else value,  # noqa: PLR0124  (NaN)
                clean=None if before != before else before,  # noqa: PLR0124
            )
            for row, value, before in zip(rows, values, clean, strict=True)
        ],
        queries,
    )


def changes_of(baseline: Attack, candidate: Attack) -> dict[str, KindChange]:
    """Compare and return by kind."""
    return {kind.kind: kind for kind in compare_robustness(baseline, candidate).kinds}


def test_an_endpoint_that_is_hurt_more_is_worse() -> None:
    """By how much more it loses, paired, kind by kind; the other direction is better."""
    firm, frail = attack(many(8), perfect), attack(many(8), literal)
    worse = changes_of(firm, frail)["typo.mixed"]
    assert (worse.baseline_drop, worse.candidate_drop, worse.change.mean) == (0.0, 1.0, 1.0)
    assert (worse.needs, worse.verdict, worse.change.reason) == (8, "worse", "no_variation")
    assert changes_of(frail, firm)["typo.mixed"].verdict == "better"
    comparison = compare_robustness(firm, frail)
    assert comparison.macro_change == 1.0
    assert comparison.worst_kind in {"typo.mixed", "short.k2"}


def test_the_same_endpoint_is_no_change() -> None:
    """However much a kind costs, it costs both the same."""
    frail = attack(many(8), literal)
    assert {kind.verdict for kind in changes_of(frail, frail).values()} == {"no_change"}


def test_the_change_is_tested_on_pairs_and_corrected() -> None:
    """The t interval and the sign-flip p of the differences of the losses, Holm over the kinds."""
    ranks = {f"q{place}": 1 + place % 4 for place in range(12)}

    def varied(request: PlannedRequest) -> Outcome:
        return at_rank(request, ranks[request.query_id] if request.kind == "typo.mixed" else 1)

    found = changes_of(attack(many(12), perfect), attack(many(12), varied))
    typo = found["typo.mixed"].change
    losses = [1 - 1 / rank for rank in ranks.values()]
    assert typo.mean == pytest.approx(sum(losses) / 12)
    assert typo.ci == pytest.approx(tuple(stats.ttest_1samp(losses, 0).confidence_interval(0.95)))
    assert typo.p == 2 / 2**9
    assert typo.p_holm == 2 * 2 / 2**9


def test_only_needs_answered_in_both_are_compared() -> None:
    """A need whose variants failed in one run says nothing about either."""

    def failing(request: PlannedRequest) -> Outcome:
        return failed() if request.kind and request.query_id == "q1" else perfect(request)

    found = changes_of(attack(many(5), perfect), attack(many(5), failing))
    assert found["typo.mixed"].needs == 4
    nothing = changes_of(attack(many(2), perfect), attack(many(2), lambda _: failed()))
    assert nothing["typo.mixed"].reason == "no_common_need"
    assert nothing["typo.mixed"].change.mean is None


@pytest.mark.parametrize("field", ["suite", "seed", "metric"])
def test_runs_that_sent_or_measured_other_things_are_not_compared(field: str) -> None:
    """Another suite, seed or metric is refused as a whole, with the reason."""
    one = attack(many(3), perfect)
    other = structs.replace(one, report=structs.replace(one.report, **{field: "other"}))
    comparison = compare_robustness(one, other)
    assert (comparison.kinds, comparison.reason) == ((), f"other_{field}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"target": "longest"}, "other_target"), ({"headline": "mrr@3"}, "other_headline")],
)
def test_kinds_that_differ_are_not_compared(change: dict[str, str], reason: str) -> None:
    """Another target or another metric is another kind."""
    one = attack(many(3), perfect)
    kinds = tuple(structs.replace(kind, **change) for kind in one.report.kinds)
    other = structs.replace(one, report=structs.replace(one.report, kinds=kinds))
    found = changes_of(one, other)["typo.mixed"]
    assert (found.verdict, found.reason, found.needs) == ("not_compared", reason, 0)
    assert compare_robustness(one, other).reason == "no_kind_in_both"


def test_kinds_of_one_run_only_stay_visible() -> None:
    """With the run that has them."""
    both = attack(many(3), perfect)
    typo = attack(
        many(3), perfect, AdversarialRequest(seed=3, kinds=["typo.mixed"], severities=[1])
    )
    assert changes_of(both, typo)["short.k2"].reason == "only_in_baseline"
    assert changes_of(typo, both)["short.k2"].reason == "only_in_candidate"


def test_users_variants_and_clusters_are_paired_too() -> None:
    """By their parent's need, apart from the generated ones of the same kind."""
    queries = [
        query("q0", cluster_id="c"),
        query("q1", cluster_id="c"),
        query("q2"),
        query("v0", "pasword", parent="q0", kind="typo.mixed"),
    ]
    queries[3].relevant = []

    def endpoint(request: PlannedRequest) -> Outcome:
        return perfect(request) if not request.kind else hits("right-q0")

    found = attack(queries, endpoint)
    assert found.losses["typo.mixed", 1, "user"] == {"cluster c": 0.0}
    assert found.losses["typo.mixed", 1, "generated"] == {"cluster c": 0.5, "query q2": 1.0}


def test_paraphrases_are_compared_only_where_both_runs_sent_the_same() -> None:
    """A model may write other texts the next day; then its kind is not compared."""
    queries = many(3)
    rows = [
        VariantRow(
            query_id=each.id,
            kind="paraphrase.model",
            severity=1,
            replicate=0,
            original=each.query,
            text=f"say {each.query}",
            ops=("model: unverified",),
            status="ok",
            value=0.5,
            clean=1.0,
        )
        for each in queries
    ]
    request = AdversarialRequest(kinds=["paraphrase.model"])
    report = robustness(send(queries, perfect, request))
    one = gather_attack(report, rows, queries)
    other = gather_attack(report, [*rows[1:], structs.replace(rows[0], text="else")], queries)
    assert changes_of(one, one)["paraphrase.model"].needs == 3
    assert changes_of(one, other)["paraphrase.model"].reason == "other_variants"
