"""What every out-of-corpus tier is planned as."""

from msgspec import Struct, structs

from reteval.contract.kinds import OUT_OF_CORPUS_REPEATED
from reteval.contract.outcomes import PlannedRequest
from worker.adversarial.choice import TIER_PREFIX


class TierPlan(Struct, frozen=True, kw_only=True):
    """Requests of one tier, and how many entries of its pack might have been answerable."""

    tier: str
    requests: tuple[PlannedRequest, ...]
    dropped: int = 0


def request_of(
    tier: str, place: int, text: str, *, original: str = "", ops: tuple[str, ...] = ()
) -> PlannedRequest:
    """Plan the query at a place of the tier's pack, counted from 0; its id says the place."""
    return PlannedRequest(
        query_id=f"{tier}-{place + 1:03}",
        text=text,
        kind=TIER_PREFIX + tier,
        severity=1,
        original=original,
        ops=ops,
        generated=True,
    )


def repeat_some(plan: TierPlan) -> TierPlan:
    """Send the tier's first queries once more, as replicate 1."""
    again = (
        structs.replace(request, replicate=1) for request in plan.requests[:OUT_OF_CORPUS_REPEATED]
    )
    return structs.replace(plan, requests=(*plan.requests, *again))
