"""What a run will cost the endpoint, and how long it still takes: counts only, no clock."""

from reteval.contract.choice import choose
from reteval.contract.runs import Estimate, RunRequest
from reteval.contract.testsets import TestSetStats


def estimate(request: RunRequest, stats: TestSetStats) -> Estimate:
    """Count the calls of a run: exact for clean queries, at most for variants."""
    clean = stats.scorable + stats.expect_nothing
    adversarial = stats.variants
    model_calls = 0
    if request.adversarial is not None:
        choice = choose(request.adversarial)
        adversarial += choice.count_calls(stats.scorable)
        model_calls = choice.count_model_calls(stats.scorable)
    repeats = clean * (request.repeat - 1)
    rate = request.limits.rate_per_s
    return Estimate(
        clean=clean,
        adversarial=adversarial,
        repeats=repeats,
        model_calls=model_calls,
        seconds_at_rate=(clean + adversarial + repeats) / rate if rate else None,
    )
