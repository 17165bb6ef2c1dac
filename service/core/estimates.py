"""What a run will cost: calls of the endpoint, seconds at its rate, bytes of the store."""

from collections.abc import Sequence

from msgspec import Struct

from reteval.contract.choice import choose
from reteval.contract.metrics import Metric
from reteval.contract.runs import Estimate, RunRequest
from reteval.contract.testsets import TestSetStats
from service.core.volumes import Volume, kept_bytes, needed_memory


class Outlook(Struct, frozen=True, kw_only=True):
    """What a client is told of a run's cost, and the memory that it takes while it goes on."""

    planned: Estimate
    memory: int


def estimate(
    request: RunRequest, stats: TestSetStats, *, depth: int, metrics: Sequence[Metric | str]
) -> Outlook:
    """Count the calls of a run: exact for clean queries, at most for variants and bytes."""
    clean = stats.scorable + stats.expect_nothing
    adversarial = stats.variants
    model_calls = 0
    if request.adversarial is not None:
        choice = choose(request.adversarial)
        adversarial += choice.count_calls(stats.scorable)
        model_calls = choice.count_model_calls(stats.scorable)
    repeats = clean * (request.repeat - 1)
    rate = request.limits.rate_per_s
    calls = clean + adversarial + repeats
    volume = Volume.of(request, stats, requests=calls, depth=depth, metrics=len(metrics))
    planned = Estimate(
        clean=clean,
        adversarial=adversarial,
        repeats=repeats,
        model_calls=model_calls,
        seconds_at_rate=calls / rate if rate else None,
        bytes=kept_bytes(volume),
    )
    return Outlook(planned=planned, memory=needed_memory(volume))
