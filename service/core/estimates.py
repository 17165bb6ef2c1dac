"""What a run will cost the endpoint, and how long it still takes: counts only, no clock."""

from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS
from reteval.contract.runs import AdversarialRequest, Estimate, RunRequest
from reteval.contract.testsets import TestSetStats
from service.core.run_checks import OUT_OF_CORPUS_PREFIX


def estimate(request: RunRequest, stats: TestSetStats) -> Estimate:
    """Count the calls of a run: exact for clean queries, at most for variants."""
    clean = stats.scorable + stats.expect_nothing
    adversarial = stats.variants
    if request.adversarial is not None:
        adversarial += _count_variants(request.adversarial, stats.scorable)
    rate = request.limits.rate_per_s
    return Estimate(
        clean=clean,
        adversarial=adversarial,
        seconds_at_rate=(clean + adversarial) / rate if rate else None,
    )


def _count_variants(request: AdversarialRequest, scorable: int) -> int:
    preset = PRESETS[request.preset]
    sampled = min(scorable, request.sample or preset.sample)
    names = preset.kinds if request.kinds is None else request.kinds
    per_query = sum(
        KINDS[name].replicates * len(_severities(request, name)) for name in names if name in KINDS
    )
    return sampled * per_query + sum(
        queries for tier, queries in OUT_OF_CORPUS_TIERS.items() if _sends_tier(request, tier)
    )


def _severities(request: AdversarialRequest, name: str) -> tuple[int, ...]:
    preset = PRESETS[request.preset]
    offered = KINDS[name].severities
    if request.severities is None:
        return preset.kinds.get(name, offered)
    return tuple(severity for severity in offered if severity in request.severities)


def _sends_tier(request: AdversarialRequest, tier: str) -> bool:
    if request.kinds is None:
        return PRESETS[request.preset].out_of_corpus
    return f"{OUT_OF_CORPUS_PREFIX}{tier}" in request.kinds
