import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from scipy import stats

from reteval.contract.adversarial import Condensed
from reteval.contract.outcomes import FailureCode, Outcome, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment
from tests.unit.worker.pipeline.answers import (
    TYPOS,
    at_rank,
    failed,
    hits,
    kind_of,
    literal,
    many,
    perfect,
    query,
    report_on,
    send,
)

CLEAN_Q1 = PlannedRequest(query_id="q1", text="reset forgotten password q1")


def nulls_without_reason(value: Any, path: str = "") -> Iterator[str]:
    """Yield paths of nulls whose object, or the one around it, gives no reason."""
    if isinstance(value, dict):
        explained = "reason" in value
        for name, part in value.items():
            if part is None and not explained:
                yield f"{path}/{name}"
            elif not explained or not isinstance(part, dict):
                yield from nulls_without_reason(part, f"{path}/{name}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from nulls_without_reason(part, f"{path}/{place}")


def test_an_endpoint_that_ignores_spelling_loses_nothing() -> None:
    """Drop 0, full overlap, verdict no_change, and a silent control."""
    report = report_on(send(many(8), perfect))
    typo = kind_of(report, "typo.mixed")
    assert (typo.clean, typo.variant, typo.drop.mean) == (1.0, 1.0, 0.0)
    assert (typo.drop.ci, typo.drop.reason) == (None, "no_variation")
    assert (typo.overlap.rbo, typo.overlap.jaccard, typo.overlap.top1_same) == (1.0, 1.0, 1.0)
    assert (typo.hurt.n, typo.helped.n, typo.lost_all, typo.examples) == (0, 0, 0, ())
    assert typo.verdict == "no_change"
    assert report.control is not None
    assert (report.control.rbo, report.control.changed_lists, report.control.needs) == (1.0, 0, 8)


def test_an_endpoint_that_knows_only_exact_spelling_loses_all() -> None:
    """An empty answer is worth 0, counted as ok_empty, and every query is hurt."""
    report = report_on(send(many(8), literal))
    typo = kind_of(report, "typo.mixed")
    assert (typo.clean, typo.variant, typo.drop.mean) == (1.0, 0.0, 1.0)
    assert typo.relative_drop.value == 1.0
    assert (typo.hurt.n, typo.hurt.share, typo.lost_all) == (8, 1.0, 8)
    assert typo.status == {"ok": 0, "ok_empty": 24, "failed": 0, "blocked": 0, "skipped": 0}
    assert typo.judged.reason == "no_hits"
    assert typo.overlap.rbo == 0.0
    assert typo.verdict == "worse"
    assert len(typo.examples) == 5
    assert {example.status for example in typo.examples} == {"ok_empty"}
    assert (report.summary.macro_drop, report.summary.worst_kind) == (1.0, "typo.mixed")


def test_the_statistics_are_scipys() -> None:
    """Mean, interval, shares and worst case of noisy ranks, worked out apart from our code."""
    chance = np.random.default_rng(11)
    evidence = send(many(40), lambda request: at_rank(request, int(chance.choice([1, 1, 2, 3, 5]))))
    typo = kind_of(report_on(evidence), "typo.mixed")
    value: dict[str, list[float]] = {}
    clean: dict[str, float] = {}
    for request, outcome in zip(evidence.plan, evidence.outcomes, strict=True):
        worth = 1 / len(outcome.ids)
        if request.kind == "typo.mixed":
            value.setdefault(request.query_id, []).append(worth)
        elif not request.kind:
            clean[request.query_id] = worth
    before = np.array(list(clean.values()))
    after = np.array([np.mean(value[name]) for name in clean])
    lost = before - after
    low, high = stats.ttest_1samp(lost, 0).confidence_interval(0.95)
    assert typo.drop.mean == pytest.approx(lost.mean())
    assert typo.drop.ci == pytest.approx((low, high))
    assert typo.relative_drop.value == pytest.approx(lost.sum() / before.sum())
    assert typo.worst_case.variant == pytest.approx(np.mean([min(value[name]) for name in clean]))
    assert typo.worst_case.of == 3
    wilson = stats.binomtest(int((lost > 1e-9).sum()), 40).proportion_ci(method="wilson")
    assert typo.hurt.ci == pytest.approx((wilson.low, wilson.high))


def test_queries_of_a_cluster_are_one_need() -> None:
    """Their values are averaged before anything is counted."""
    queries = [query("q0", cluster_id="c"), query("q1", cluster_id="c"), query("q2")]

    def endpoint(request: PlannedRequest) -> Outcome:
        return literal(request) if request.query_id == "q0" else perfect(request)

    report = report_on(send(queries, endpoint))
    typo = kind_of(report, "typo.mixed")
    assert (typo.needs, report.needs, report.sampled_from) == (2, 2, 2)
    assert typo.drop.mean == pytest.approx(0.25)
    assert typo.hurt.n == 1
    assert typo.lost_all == 0


def test_a_failed_variant_is_a_status_and_no_zero() -> None:
    """Failures leave the means, remaining replicates stand for the query, a limit says so."""

    def endpoint(request: PlannedRequest) -> Outcome:
        lost = request.kind == "typo.mixed" and (request.replicate > 0 or request.query_id == "q1")
        return failed() if lost else perfect(request)

    report = report_on(send(many(4), endpoint))
    typo = kind_of(report, "typo.mixed")
    assert (typo.needs, typo.variant, typo.worst_case.of) == (3, 1.0, 1)
    assert (typo.status["ok"], typo.status["failed"]) == (3, 9)
    assert any("9 of 12 requests have no answer" in limit for limit in report.limits)


def test_a_failed_clean_query_takes_its_variants_out() -> None:
    """Without the clean value there is no pair."""
    evidence = send(
        many(4),
        lambda request: failed() if request.query_id == "q1" and not request.kind
        else perfect(request),
    )  # fmt: skip
    assert kind_of(report_on(evidence), "typo.mixed").needs == 3


def test_refusals_are_told_from_failures() -> None:
    """401, 403, 406 and 429 are `blocked`, and each call is counted once."""
    codes = {
        0: failed(FailureCode.ENDPOINT_AUTH, 403),
        1: failed(FailureCode.HTTP_4XX, 406),
        2: failed(FailureCode.BLOCKED),
    }

    def endpoint(request: PlannedRequest) -> Outcome:
        return codes[request.replicate] if request.kind == "typo.mixed" else perfect(request)

    report = report_on(send(many(3), endpoint))
    calls = report.calls
    assert (calls.planned, calls.ok, calls.failed, calls.blocked) == (12, 3, 3, 6)
    assert kind_of(report, "typo.mixed").reason == "no_answered_pair"


def test_a_kind_that_fits_no_query_is_not_run() -> None:
    """No number is made up: the verdict is not_run, and the reasons are counted."""
    report = report_on(send([query("q0", "the of and to")], perfect))
    typo = kind_of(report, "typo.mixed")
    assert (typo.verdict, typo.needs, typo.reason) == ("not_run", 0, "no_applicable_query")
    assert typo.not_applicable == {"no_content_word": 1}
    assert report.summary.reason == "no_kind_run"


@pytest.mark.parametrize(
    "texts", [["the of and to"], ["reset password"], ["reset password", "cancel account now"]]
)
def test_every_null_has_a_reason_and_no_number_is_nan(texts: list[str]) -> None:
    """Whatever could not be worked out says why, in it or in the object around it."""
    queries = [query(f"q{place}", text) for place, text in enumerate(texts)]
    for endpoint in (perfect, literal, lambda _: hits(), lambda _: failed()):
        report = report_on(send(queries, endpoint, AdversarialRequest()))
        plain = msgspec.json.decode(msgspec.json.encode(report))
        assert list(nulls_without_reason(plain)) == []
        assert all(
            math.isfinite(number)
            for kind in report.kinds
            for number in (kind.clean, kind.variant, kind.drop.mean)
            if number is not None
        )


def test_the_control_says_how_much_is_noise() -> None:
    """A loss no larger than that of the clean query sent twice is not called worse."""

    def noisy(request: PlannedRequest) -> Outcome:
        return at_rank(request, 2 if request.kind else 1)

    with_control = report_on(send(many(8), noisy))
    assert with_control.control is not None
    assert with_control.control.drop.mean == 0.5
    assert with_control.control.changed_lists == 8
    assert kind_of(with_control, "typo.mixed").verdict == "inconclusive"
    alone = report_on(send(many(8), noisy, AdversarialRequest(kinds=["typo.mixed"])))
    assert alone.control is None
    assert {kind.verdict for kind in alone.kinds} == {"worse"}
    assert any("was not run" in limit for limit in alone.limits)


def test_a_control_without_answers_says_so() -> None:
    """No pair, no noise, and a reason."""
    report = report_on(
        send(many(3), lambda request: failed() if request.kind else perfect(request))
    )
    assert report.control is not None
    assert (report.control.reason, report.control.rbo) == ("no_answered_pair", None)


def test_a_run_without_a_request_reports_only_what_was_made_by_hand() -> None:
    """Sampled from all clean queries: none."""
    queries = [query("q0"), query("v1", "reset pasword", parent="q0", kind="hand")]
    queries[1].relevant = [Judgment("right-v1", 1)]
    report = report_on(send(queries, perfect, None))
    assert (report.needs, report.sampled_from, report.control) == (0, 1, None)
    assert [kind.kind for kind in report.kinds] == ["hand"]
    assert report.out_of_corpus is None


def test_the_summary_weighs_each_kind_once() -> None:
    """Severities are averaged inside their kind before the kinds are."""
    request = AdversarialRequest(
        seed=TYPOS.seed, kinds=["control.repeat", "typo.mixed", "short.k2"], severities=[1, 2]
    )
    worth = {("typo.mixed", 1): 2, ("typo.mixed", 2): 4}
    report = report_on(
        send(many(8), lambda each: at_rank(each, worth.get((each.kind, each.severity), 1)), request)
    )
    assert report.summary.kinds_run == 2
    assert report.summary.macro_drop == pytest.approx(((0.5 + 0.75) / 2 + 0) / 2)
    assert report.summary.inconclusive == 0
    assert report.summary.kinds == ("typo.mixed", "short.k2")
    assert report.summary.verdicts == {"worse": 2, "no_change": 1}
    assert any("not adjusted for the number of kinds" in limit for limit in report.limits)


def test_p_is_corrected_for_all_kinds_and_severities() -> None:
    """Each test by the sign flips of its needs, all of them together by Holm."""
    request = AdversarialRequest(seed=1, kinds=["typo.mixed", "short.k2"])
    ranks = {"typo.mixed": 2}
    report = report_on(send(many(6), lambda each: at_rank(each, ranks.get(each.kind, 1)), request))
    p_values = {
        (kind.kind, kind.severity): (kind.drop.p, kind.drop.p_holm) for kind in report.kinds
    }
    tested = len(p_values)
    assert p_values["typo.mixed", 1] == (2 / 2**6, tested * 2 / 2**6)
    assert p_values["short.k2", 1] == (1.0, 1.0)


def test_a_kind_that_was_not_run_has_no_p() -> None:
    """Absent, and no test among those corrected for."""
    report = report_on(send([query("q0", "the of and to")], perfect))
    drop = kind_of(report, "typo.mixed").drop
    assert (drop.p, drop.p_holm) == (UNSET, UNSET)


def test_a_drop_made_of_unjudged_documents_is_gone_on_condensed_lists() -> None:
    """Unjudged pages above the right one cost the plain list only."""
    report = report_on(
        send(many(8), lambda each: at_rank(each, 4 if each.kind == "typo.mixed" else 1))
    )
    typo = kind_of(report, "typo.mixed")
    assert typo.drop.mean == 0.75
    assert isinstance(typo.condensed, Condensed)
    assert (typo.condensed.drop, typo.condensed.reason) == (0.0, "no_variation")
    assert typo.judged.variant == 0.25


def test_the_drop_is_shown_by_content_words() -> None:
    """The same slip costs short queries more, so needs stand in bins by their length."""
    short = [query(f"s{place}", f"password reset{place}") for place in range(3)]
    long = [
        query(f"l{place}", "customer cannot change billing address before renewal date arrives")
        for place in range(4)
    ]

    def endpoint(request: PlannedRequest) -> Outcome:
        lost = request.kind == "typo.mixed" and request.query_id.startswith("s")
        return hits() if lost else perfect(request)

    typo = kind_of(report_on(send([*short, *long], endpoint)), "typo.mixed")
    bins = {part.bin: (part.needs, part.drop) for part in typo.by_content_words}
    assert bins == {"1-2": (3, 1.0), "5-8": (4, 0.0)}
    assert {part.reason for part in typo.by_content_words} == {"no_variation"}


def test_the_clean_requests_of_a_kind_are_counted_too() -> None:
    """So that a shift in statuses can be seen."""
    report = report_on(send(many(4), lambda each: failed() if each == CLEAN_Q1 else literal(each)))
    typo = kind_of(report, "typo.mixed")
    assert typo.clean_status == {"ok": 3, "ok_empty": 0, "failed": 1, "blocked": 0, "skipped": 0}
    assert typo.status["ok_empty"] == 12
