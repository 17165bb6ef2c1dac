from scipy import stats

from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Query
from tests.unit.worker.pipeline.answers import at_rank, failed, hits, many, query, send
from worker.pipeline.abstention import report_out_of_corpus

FAR = AdversarialRequest(kinds=["out_of_corpus.far", "out_of_corpus.gibberish"])


def eager(request: PlannedRequest) -> Outcome:
    """Abstain from gibberish only; give half a page for anything else."""
    if request.kind == "out_of_corpus.gibberish":
        return hits()
    return hits(*"abcde") if request.kind else at_rank(request, 1)


def test_abstention_and_page_fill_of_each_tier() -> None:
    """Empty answers over answers, with Wilson's interval, and the share of a page filled."""
    report = report_out_of_corpus(send(many(2), eager, FAR))
    assert report is not None
    far, gibberish = report.tiers
    assert (far.tier, far.queries, far.answered) == ("far", 60, 60)
    assert (far.abstention_rate, far.page_fill) == (0.0, 0.5)
    assert len(far.examples) == 5
    assert (gibberish.abstention_rate, gibberish.page_fill, gibberish.examples) == (1.0, 0.0, ())
    wilson = stats.binomtest(60, 60).proportion_ci(method="wilson")
    assert gibberish.abstention_ci is not None
    assert abs(gibberish.abstention_ci[0] - wilson.low) < 1e-12


def test_a_page_is_what_was_asked_for() -> None:
    """Hits beyond the depth fill no more than the page."""
    long = Outcome(status=hits("a").status, ids=["a"], returned=500)
    report = report_out_of_corpus(send(many(1), lambda _: long, FAR))
    assert report is not None
    assert report.tiers[0].page_fill == 1.0


def test_failures_are_no_abstention() -> None:
    """Without a valid answer there is no rate, and the reason says so."""
    report = report_out_of_corpus(send(many(1), lambda _: failed(), FAR))
    assert report is not None
    assert report.tiers[0].abstention_rate is None
    assert report.tiers[0].reason == "no_answer"
    assert report.tiers[0].status["failed"] == 60


def test_queries_that_expect_nothing_are_the_users_tier() -> None:
    """They are judged by these rules without any request for variants."""
    queries = [
        *many(3),
        Query(id="none", query="weather in Lisbon", expect=Expect.NOTHING),
        Query(id="nil", query="tallest giraffe", expect=Expect.NOTHING),
    ]
    evidence = send(
        queries, lambda each: hits() if each.query_id in {"nil", "q1"} else at_rank(each, 1), None
    )
    report = report_out_of_corpus(evidence)
    assert report is not None
    (user,) = report.tiers
    assert (user.tier, user.queries, user.abstention_rate) == ("user", 2, 0.5)
    assert user.examples == ("weather in Lisbon",)
    assert (report.false_refusal_rate.n, report.false_refusal_rate.of) == (1, 3)


def test_a_tier_whose_queries_were_all_dropped_stays_visible() -> None:
    """Zero queries with a reason, not a missing tier."""
    words = "lentil soup onion " * 3
    evidence = send([query("q0", words)], eager, FAR)
    suite = evidence.suite
    report = report_out_of_corpus(
        type(evidence)(
            queries=evidence.queries,
            plan=evidence.plan[:1],
            outcomes=evidence.outcomes[:1],
            suite=suite,
            metric=evidence.metric,
            depth=10,
            relevant_from=1,
        )
    )
    assert report is not None
    assert {tier.reason for tier in report.tiers} == {"every_query_dropped"}


def test_nothing_planned_gives_no_block() -> None:
    """Absent means not run."""
    assert report_out_of_corpus(send(many(2), eager, None)) is None
