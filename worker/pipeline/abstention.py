"""How the endpoint treats queries without an answer, and what its caution costs."""

from collections.abc import Sequence
from typing import Final

from reteval.contract.adversarial import OutOfCorpus, Refusals, Tier
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.testsets import Expect
from worker.adversarial.choice import TIER_PREFIX
from worker.metrics.intervals import proportion_interval
from worker.pipeline.pairing import Evidence
from worker.pipeline.statuses import count_statuses

USER_TIER: Final = "user"
MAX_EXAMPLES: Final = 5


def report_out_of_corpus(evidence: Evidence) -> OutOfCorpus | None:
    """Report each tier that was asked for, and `user` for queries that expect nothing.

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
    return OutOfCorpus(
        tiers=tuple(_report_tier(tier, found, evidence) for tier, found in places.items()),
        false_refusal_rate=_count_refusals(evidence),
    )


def _report_tier(tier: str, places: Sequence[int], evidence: Evidence) -> Tier:
    outcomes = [evidence.outcomes[place] for place in places]
    answered = [outcome for outcome in outcomes if outcome.status.answered]
    status = count_statuses(outcomes)
    if not answered:
        return Tier(
            tier=tier,
            queries=len(places),
            answered=0,
            abstention_rate=None,
            abstention_ci=None,
            page_fill=None,
            status=status,
            examples=(),
            reason="no_answer" if places else "every_query_dropped",
        )
    empty = status["ok_empty"]
    filled = [
        evidence.plan[place].text
        for place in places
        if evidence.outcomes[place].status is OutcomeStatus.OK
    ]
    return Tier(
        tier=tier,
        queries=len(places),
        answered=len(answered),
        abstention_rate=empty / len(answered),
        abstention_ci=proportion_interval(empty, len(answered)).ci,
        page_fill=_fill_pages(answered, evidence.depth),
        status=status,
        examples=tuple(filled[:MAX_EXAMPLES]),
    )


def _fill_pages(answered: Sequence[Outcome], depth: int) -> float:
    """Mean share of the hits asked for that came back; 1.0 is a full page of noise."""
    return sum(min(outcome.returned, depth) for outcome in answered) / (depth * len(answered))


def _count_refusals(evidence: Evidence) -> Refusals:
    outcomes = [evidence.outcomes[place] for place in evidence.find_clean(evidence.scorable)]
    return Refusals(
        n=sum(outcome.status is OutcomeStatus.OK_EMPTY for outcome in outcomes),
        of=sum(outcome.status.answered for outcome in outcomes),
    )
