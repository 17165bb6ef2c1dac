"""How the endpoint treats queries without an answer, and what its caution costs."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final

import numpy as np
from msgspec import Struct, structs

from reteval.contract.out_of_corpus import (
    Auroc,
    Floor,
    OutOfCorpus,
    Ratio,
    Refusals,
    RiskCoverage,
    ScoreSense,
    Tier,
)
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.testsets import Expect
from worker.adversarial.choice import TIER_PREFIX
from worker.metrics.intervals import proportion_interval
from worker.metrics.overlap import jaccard
from worker.pipeline.confidence import (
    Confidence,
    explain_sense,
    find_sense,
    read_confidence,
)
from worker.pipeline.confidence_separation import (
    find_partners,
    measure_auroc,
    measure_fpr,
    suggest_floor,
    trace_risk,
)
from worker.pipeline.drops import Values
from worker.pipeline.pairing import Evidence
from worker.pipeline.statuses import count_statuses
from worker.pipeline.text_overlap import ANSWERABLE_FROM, INVENTED

USER_TIER: Final = "user"
MAX_EXAMPLES: Final = 5
HUB_QUERIES: Final = 3
"""Clean queries that a document answers before its turning up for nonsense is suspicious."""
_DROPPED_FOR: Final = {"far": "stem_overlap", "other_language": "script_in_set"}
_OVERLAP: Final = "text_overlap"
_UNCHECKED: Final = {_OVERLAP: "hit_texts_are_not_kept", "review": "no_list_of_reviewed"}
_EMPTY_TIER: Final = {"near": "no_content_word"}


class _Clean(Struct, frozen=True, kw_only=True, eq=False):
    """The answerable queries: where they stand, how sure their answers look, what is right.

    `right_for` counts the queries that each relevant document answers.
    """

    places: list[int]
    sense: ScoreSense
    confidence: Confidence | None
    right_for: Counter[str]


def report_out_of_corpus(evidence: Evidence, values: Values) -> OutOfCorpus | None:
    """Report each tier that was asked for, and `user` for queries that expect nothing.

    `values` are those of the plan's requests in the suite's metric, NaN where there is none.
    None when nothing of the kind was planned.
    """
    places = {
        tier: [
            place
            for place, request in enumerate(evidence.plan)
            if request.generated and request.kind == TIER_PREFIX + tier
        ]
        for tier in evidence.suite.dropped
    }
    by_hand = evidence.find_clean(
        query for query in evidence.queries if query.expect is Expect.NOTHING
    )
    if by_hand:
        places[USER_TIER] = by_hand
    if not places:
        return None
    clean = _gather_clean(evidence)
    return OutOfCorpus(
        tiers=tuple(_report_tier(tier, found, evidence, clean) for tier, found in places.items()),
        false_refusal_rate=_count_refusals(evidence, clean.places),
        score=explain_sense(clean.sense, clean.confidence),
        risk_coverage=_trace_risk(evidence, clean, values),
    )


def _gather_clean(evidence: Evidence) -> _Clean:
    queries = evidence.scorable
    places = evidence.find_clean(queries)
    outcomes = [evidence.outcomes[place] for place in places]
    sense = find_sense(outcomes, depth=evidence.depth)
    texts = [evidence.plan[place].text for place in places]
    return _Clean(
        places=places,
        sense=sense,
        confidence=read_confidence(outcomes, texts, sense, depth=evidence.depth),
        right_for=Counter(
            str(judgment.id)
            for query in queries
            for judgment in query.relevant or ()
            if judgment.grade >= evidence.relevant_from
        ),
    )


def _report_tier(tier: str, every: Sequence[int], evidence: Evidence, clean: _Clean) -> Tier:
    dropped, unchecked, answerable = _check_answerable(tier, every, evidence)
    every = [place for place in every if evidence.plan[place].query_id not in answerable]
    places = [place for place in every if not evidence.plan[place].replicate]
    outcomes = [evidence.outcomes[place] for place in places]
    answered = [outcome for outcome in outcomes if outcome.status.answered]
    report = Tier(
        tier=tier,
        queries=len(places),
        answered=len(answered),
        abstention_rate=None,
        abstention_ci=None,
        page_fill=None,
        status=count_statuses(outcomes),
        examples=(),
        false_answer_rate=None,
        dropped=dropped,
        unchecked=unchecked,
    )
    if not answered:
        missing = "no_answer" if places else _EMPTY_TIER.get(tier, "every_query_dropped")
        return structs.replace(report, reason=missing)
    filled = [
        evidence.plan[place].text
        for place in places
        if evidence.outcomes[place].status is OutcomeStatus.OK
    ]
    empty = len(answered) - len(filled)
    report = structs.replace(
        report,
        abstention_rate=empty / len(answered),
        abstention_ci=proportion_interval(empty, len(answered)).ci,
        page_fill=_fill_pages(answered, evidence.depth),
        examples=tuple(filled[:MAX_EXAMPLES]),
        false_answer_rate=len(filled) / len(answered),
        flagged={"hub": _count_hubs(answered, clean)},
        repeatability=_compare_repeats(every, evidence),
    )
    return _judge_scores(_find_junk(report, answered, evidence), outcomes, evidence, clean, places)


def _check_answerable(
    tier: str, places: Sequence[int], evidence: Evidence
) -> tuple[dict[str, int], dict[str, str], set[str]]:
    """Return what was left out and what was not checked, by rule, and the queries to leave out."""
    rule = _DROPPED_FOR.get(tier)
    dropped = {} if rule is None else {rule: evidence.suite.dropped[tier]}
    unchecked = dict(_UNCHECKED)
    if tier == INVENTED:
        return dropped, unchecked | {_OVERLAP: "holds_an_invented_word"}, set()
    if all(evidence.outcomes[place].text_overlap is None for place in places):
        return dropped, unchecked, set()
    answerable = _find_answerable(places, evidence)
    del unchecked[_OVERLAP]
    return dropped | {_OVERLAP: len(answerable)}, unchecked, answerable


def _find_answerable(places: Sequence[int], evidence: Evidence) -> set[str]:
    """Return the queries whose words stand in a text that came back for them."""
    return {
        evidence.plan[place].query_id
        for place in places
        if (evidence.outcomes[place].text_overlap or 0.0) >= ANSWERABLE_FROM
    }


def _judge_scores(
    report: Tier,
    outcomes: Sequence[Outcome],
    evidence: Evidence,
    clean: _Clean,
    places: Sequence[int],
) -> Tier:
    """Add what the scores would be good for, or why they are good for nothing."""
    texts = [evidence.plan[place].text for place in places]
    other = read_confidence(outcomes, texts, clean.sense, depth=evidence.depth)
    if clean.confidence is None or other is None or clean.sense.direction is None:
        reason = clean.sense.reason or "scores_absent"
        return structs.replace(
            report,
            score_auroc=Auroc(
                top1=None, mean_k=None, gap=None, n=0, of=report.answered, reason=reason
            ),
            fpr_at_95=Ratio(value=None, n=report.answered, reason=reason),
            suggested_floor=Floor(value=None, reason=reason),
        )
    auroc = measure_auroc(clean.confidence, other)
    matched = clean.confidence.take(find_partners(clean.confidence, other))
    other = other.take(find_partners(other, clean.confidence))
    return structs.replace(
        report,
        score_auroc=auroc,
        length_matched=True,
        fpr_at_95=measure_fpr(matched, other),
        suggested_floor=suggest_floor(matched, other, auroc, clean.sense.direction),
    )


def _fill_pages(answered: Sequence[Outcome], depth: int) -> float:
    """Mean share of the hits asked for that came back; 1.0 is a full page of noise."""
    return sum(min(outcome.returned, depth) for outcome in answered) / (depth * len(answered))


def _find_junk(report: Tier, answered: Sequence[Outcome], evidence: Evidence) -> Tier:
    """Add the document that turns up most for queries it cannot answer."""
    pages = [set(outcome.ids[: evidence.depth]) for outcome in answered if outcome.ids]
    if not pages:
        nothing = Ratio(value=None, n=0, reason="no_hits")
        return structs.replace(report, junk_concentration=nothing)
    # Of documents as common the one whose id sorts first, whatever order the sets are walked in.
    counts = Counter(chain.from_iterable(pages))
    document, held = min(counts.items(), key=lambda item: (-item[1], item[0]))
    share = Ratio(value=held / len(pages), n=len(pages))
    return structs.replace(report, junk_concentration=share, junk=document)


def _count_hubs(answered: Sequence[Outcome], clean: _Clean) -> int:
    """Count the queries whose first hit is right for several clean ones: a hub, or an answer."""
    return sum(
        clean.right_for[outcome.ids[0]] >= HUB_QUERIES for outcome in answered if outcome.ids
    )


def _compare_repeats(places: Sequence[int], evidence: Evidence) -> Ratio:
    """Compare the answers to queries that were sent twice."""
    first = {
        evidence.plan[place].query_id: place
        for place in places
        if not evidence.plan[place].replicate
    }
    pairs = [
        (first[evidence.plan[place].query_id], place)
        for place in places
        if evidence.plan[place].replicate
    ]
    values = [
        jaccard(evidence.ids(one), evidence.ids(two), k=evidence.depth)
        for one, two in pairs
        if evidence.outcomes[one].status.answered and evidence.outcomes[two].status.answered
    ]
    if not values:
        reason = "no_answered_pair" if pairs else "not_sent_twice"
        return Ratio(value=None, n=0, reason=reason)
    return Ratio(value=sum(values) / len(values), n=len(values))


def _count_refusals(evidence: Evidence, places: Sequence[int]) -> Refusals:
    outcomes = [evidence.outcomes[place] for place in places]
    return Refusals(
        n=sum(outcome.status is OutcomeStatus.OK_EMPTY for outcome in outcomes),
        of=sum(outcome.status.answered for outcome in outcomes),
    )


def _trace_risk(evidence: Evidence, clean: _Clean, values: Values) -> RiskCoverage:
    metric = str(evidence.metric)
    if clean.confidence is None:
        reason = explain_sense(clean.sense, clean.confidence).reason
        return RiskCoverage(aurc=None, at={}, n=0, metric=metric, reason=reason)
    answered = [place for place in clean.places if evidence.outcomes[place].status.answered]
    worth = values[answered]
    known = ~np.isnan(worth)
    return trace_risk(clean.confidence.top1[known], worth[known], name=metric)
