import pytest
from msgspec import structs
from scipy import stats

from reteval.contract.out_of_corpus import (
    Auroc,
    Floor,
    OutOfCorpus,
    Ratio,
    RiskCoverage,
    ScoreSense,
    Tier,
)
from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Judgment, Query
from tests.unit.worker.pipeline.answers import (
    Endpoint,
    at_rank,
    failed,
    hits,
    many,
    query,
    send,
)
from worker.adversarial.draws import derive_seed
from worker.pipeline.abstention import report_out_of_corpus
from worker.pipeline.pairing import Evidence, score_plan

FAR = AdversarialRequest(kinds=["out_of_corpus.far", "out_of_corpus.gibberish"])


def report_on(evidence: Evidence) -> OutOfCorpus | None:
    """Report with the values of the plan."""
    return report_out_of_corpus(evidence, score_plan(evidence).metric)


def eager(request: PlannedRequest) -> Outcome:
    """Abstain from gibberish only; give half a page for anything else."""
    if request.kind == "out_of_corpus.gibberish":
        return hits()
    return hits(*"abcde") if request.kind else at_rank(request, 1)


def test_abstention_and_page_fill_of_each_tier() -> None:
    """Empty answers over answers, with Wilson's interval, and the share of a page filled."""
    report = report_on(send(many(2), eager, FAR))
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
    report = report_on(send(many(1), lambda _: long, FAR))
    assert report is not None
    assert report.tiers[0].page_fill == 1.0


def test_failures_are_no_abstention() -> None:
    """Without a valid answer there is no rate, and the reason says so."""
    report = report_on(send(many(1), lambda _: failed(), FAR))
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
    report = report_on(evidence)
    assert report is not None
    (user,) = report.tiers
    assert (user.tier, user.queries, user.abstention_rate) == ("user", 2, 0.5)
    assert user.examples == ("weather in Lisbon",)
    assert (report.false_refusal_rate.n, report.false_refusal_rate.of) == (1, 3)


def test_a_tier_whose_queries_were_all_dropped_stays_visible() -> None:
    """Zero queries with a reason, not a missing tier."""
    words = "lentil soup onion " * 3
    evidence = send([query("q0", words)], eager, FAR)
    report = report_on(
        structs.replace(evidence, plan=evidence.plan[:1], outcomes=evidence.outcomes[:1])
    )
    assert report is not None
    assert {tier.reason for tier in report.tiers} == {"every_query_dropped"}


def test_nothing_planned_gives_no_block() -> None:
    """Absent means not run."""
    assert report_on(send(many(2), eager, None)) is None


ALL_TIERS = AdversarialRequest(
    seed=2,
    kinds=[
        "control.repeat",
        *(f"out_of_corpus.{tier}" for tier in ("far", "near", "gibberish", "other_language")),
    ],
)
TOPICS = ("pump", "valve", "filter", "hose", "lamp", "display", "fuse", "motor", "gasket", "switch")
QUERIES = [
    query(f"q{place}", f"{verb} the {topic} of my machine")
    for place, (verb, topic) in enumerate(
        (verb, topic) for verb in ("reset", "replace", "clean", "order") for topic in TOPICS
    )
]


def in_corpus(request: PlannedRequest) -> bool:
    """Whether there is an answer."""
    return not request.kind.startswith("out_of_corpus.")


def answer_with(*scores: float, document: str = "") -> Outcome:
    """Return a page with these scores, the first document named."""
    ids = [document or "noise", *(f"noise{place}" for place in range(1, len(scores)))]
    return Outcome(
        status=OutcomeStatus.OK,
        ids=ids,
        returned=len(ids),
        scores=list(scores),
        latency_ms=10.0,
    )


def spread(request: PlannedRequest) -> float:
    """Return a number from 0 to 1 that hangs on the text alone."""
    return derive_seed(request.text) % 1_000 / 1_000


def full_page(request: PlannedRequest) -> Outcome:
    """Fill every page; what has an answer scores higher."""
    best = (12.0 if in_corpus(request) else 3.0) + spread(request)
    right = f"right-{request.query_id}" if in_corpus(request) else "junk"
    return answer_with(*(best - place / 10 for place in range(10)), document=right)


def with_floor(request: PlannedRequest) -> Outcome:
    """Return nothing for what has no answer."""
    return full_page(request) if in_corpus(request) else hits()


def constant(request: PlannedRequest) -> Outcome:
    """Fill every page with the same score."""
    return answer_with(*[1.0] * 10, document=f"right-{request.query_id}")


def without_scores(_: PlannedRequest) -> Outcome:
    """Fill every page and keep the scores back."""
    return hits(*(f"d{place}" for place in range(10)))


def tiers_of(endpoint: Endpoint) -> dict[str, Tier]:
    """Report every generated tier."""
    report = report_on(send(QUERIES, endpoint, ALL_TIERS))
    assert report is not None
    return {tier.tier: tier for tier in report.tiers}


def test_a_full_page_with_telling_scores_could_have_a_floor() -> None:
    """Nothing is refused, everything is filled, and a floor that costs nothing is suggested."""
    for tier in tiers_of(full_page).values():
        assert (tier.abstention_rate, tier.false_answer_rate, tier.page_fill) == (0.0, 1.0, 1.0)
    near = tiers_of(full_page)["near"]
    assert isinstance(near.score_auroc, Auroc)
    assert (near.score_auroc.top1, near.score_auroc.mean_k) == (1.0, 1.0)
    assert (near.score_auroc.n, near.score_auroc.of, near.length_matched) == (40, 40, True)
    assert near.fpr_at_95 == Ratio(value=0.0, n=40)
    floor = near.suggested_floor
    assert isinstance(floor, Floor)
    assert floor.value is not None
    assert 4.0 < floor.value < 12.0
    assert (floor.refused, floor.answered, floor.keep) == (0.0, 0.0, "at_or_above")
    assert near.junk_concentration == Ratio(value=1.0, n=40)
    assert near.junk == "junk"


def test_a_true_floor_abstains() -> None:
    """No page is filled, and there is nothing left to suggest."""
    for tier in tiers_of(with_floor).values():
        assert (tier.abstention_rate, tier.false_answer_rate, tier.page_fill) == (1.0, 0.0, 0.0)
        assert tier.junk_concentration == Ratio(value=None, n=0, reason="no_hits")
    near = tiers_of(with_floor)["near"]
    assert isinstance(near.score_auroc, Auroc)
    assert near.score_auroc.top1 == 1.0
    assert near.suggested_floor == Floor(value=None, reason="already_abstains")


def test_constant_scores_can_have_no_floor() -> None:
    """The page is as full as the first one's, but no figure about scores is made up."""
    near = tiers_of(constant)["near"]
    assert near.page_fill == 1.0
    assert near.suggested_floor == Floor(value=None, reason="scores_constant")
    assert isinstance(near.score_auroc, Auroc)
    assert (near.score_auroc.top1, near.score_auroc.reason) == (None, "scores_constant")
    assert near.fpr_at_95 == Ratio(value=None, n=40, reason="scores_constant")


def test_the_card_says_what_scores_are_worth_on_clean_queries() -> None:
    """Their direction and the risk at each coverage, or the reason why not."""
    report = report_on(send(QUERIES, full_page, ALL_TIERS))
    assert report is not None
    assert report.score == ScoreSense(direction="higher_is_better")
    assert isinstance(report.risk_coverage, RiskCoverage)
    assert (report.risk_coverage.aurc, report.risk_coverage.n) == (0.0, 40)
    silent = report_on(send(QUERIES, without_scores, ALL_TIERS))
    assert silent is not None
    assert silent.score == ScoreSense(direction=None, reason="scores_absent")
    assert isinstance(silent.risk_coverage, RiskCoverage)
    assert silent.risk_coverage.reason == "scores_absent"


def test_scores_missing_on_unanswerable_queries_only_are_absent_there() -> None:
    """The clean queries keep their direction, the tier says why it has no figure."""

    def endpoint(request: PlannedRequest) -> Outcome:
        return full_page(request) if in_corpus(request) else without_scores(request)

    near = tiers_of(endpoint)["near"]
    assert near.suggested_floor == Floor(value=None, reason="scores_absent")


def test_lengths_are_matched() -> None:
    """Gibberish of two or three words has no partner among queries of six."""
    gibberish = tiers_of(full_page)["gibberish"]
    assert isinstance(gibberish.score_auroc, Auroc)
    assert gibberish.score_auroc.reason == "too_few_of_equal_length"


def test_repeats_are_counted_apart() -> None:
    """They belong to repeatability, not to the tier's queries."""
    answers = iter(range(1_000_000))

    def endpoint(_: PlannedRequest) -> Outcome:
        return hits("same", f"other{next(answers)}")

    far = tiers_of(endpoint)["far"]
    assert (far.queries, sum(far.status.values())) == (60, 60)
    assert far.repeatability == Ratio(value=pytest.approx(1 / 3), n=10)
    failing = tiers_of(lambda each: failed() if each.replicate else full_page(each))["far"]
    assert failing.repeatability == Ratio(value=None, n=0, reason="no_answered_pair")
    once = report_on(send(QUERIES, full_page, FAR))
    assert once is not None
    assert once.tiers[0].repeatability == Ratio(value=None, n=0, reason="not_sent_twice")


def test_a_first_hit_that_answers_several_clean_queries_is_flagged() -> None:
    """It may be a hub, or the query may have an answer after all."""
    queries = [structs.replace(each, relevant=[Judgment("hub", 1)]) for each in QUERIES[:3]]

    def endpoint(request: PlannedRequest) -> Outcome:
        return hits("x" if request.kind.endswith("gibberish") else "hub")

    report = report_on(send(queries, endpoint, FAR))
    assert report is not None
    assert [tier.flagged for tier in report.tiers] == [{"hub": 60}, {"hub": 0}]
    fewer = report_on(send(queries[:2], endpoint, FAR))
    assert fewer is not None
    assert fewer.tiers[0].flagged == {"hub": 0}


def test_checks_are_counted_or_named_as_not_made() -> None:
    """What was dropped by each check, and why others were not made."""
    far, foreign = (tiers_of(full_page)[tier] for tier in ("far", "other_language"))
    assert far.dropped == {"stem_overlap": 0}
    assert foreign.dropped == {"script_in_set": 6}
    assert far.unchecked == {
        "text_overlap": "hit_texts_are_not_kept",
        "review": "no_list_of_reviewed",
    }


def test_queries_whose_words_stand_in_a_text_are_left_out() -> None:
    """From 60 % of their stems on, with their repeats; the others are judged as ever."""
    plan = AdversarialRequest(kinds=["control.repeat", "out_of_corpus.gibberish"])
    evidence = send(many(2), full_page, plan)
    tier = [each.query_id for each in evidence.plan if each.kind == "out_of_corpus.gibberish"]
    repeated = [
        each.query_id
        for each in evidence.plan
        if each.kind == "out_of_corpus.gibberish" and each.replicate
    ]
    once = next(name for name in tier if name not in repeated)
    shares = {repeated[0]: 0.6, repeated[1]: 0.59, once: 1.0}
    outcomes = [
        structs.replace(hits("a"), text_overlap=shares.get(each.query_id, 0.0))
        for each in evidence.plan
    ]
    report = report_on(structs.replace(evidence, outcomes=outcomes))
    assert report is not None
    (found,) = report.tiers
    assert (found.queries, found.answered, found.dropped) == (58, 58, {"text_overlap": 2})
    assert found.unchecked == {"review": "no_list_of_reviewed"}
    assert isinstance(found.repeatability, Ratio)
    assert found.repeatability.n == len(repeated) - 1


def test_a_tier_that_may_all_be_answerable_says_so() -> None:
    """A general collection answers the far pack: nothing is left to judge."""
    full = structs.replace(hits("a"), text_overlap=1.0)
    report = report_on(send(many(1), lambda _: full, FAR))
    assert report is not None
    assert {tier.reason for tier in report.tiers} == {"every_query_dropped"}
    assert [tier.dropped["text_overlap"] for tier in report.tiers] == [60, 60]


def test_invented_words_need_no_text() -> None:
    """A near query shares most of its words with the texts, and still has no answer."""
    near = AdversarialRequest(kinds=["out_of_corpus.near"])
    full = structs.replace(hits("a"), text_overlap=1.0)
    report = report_on(send(many(3), lambda _: full, near))
    assert report is not None
    (tier,) = report.tiers
    assert (tier.queries, tier.dropped) == (3, {})
    assert tier.unchecked["text_overlap"] == "holds_an_invented_word"


def test_a_tier_that_no_query_gave_says_so() -> None:
    """Without a content word there is nothing to invent."""
    report = report_on(
        send([query("q0", "of the")], full_page, AdversarialRequest(kinds=["out_of_corpus.near"]))
    )
    assert report is not None
    assert (report.tiers[0].queries, report.tiers[0].reason) == (0, "no_content_word")
