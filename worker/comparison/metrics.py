"""Every metric of a comparison: estimate, test all together, decide."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from reteval.contract.comparisons import ComparisonRequest, MetricComparison, Power, Significance
from worker.comparison.estimates import Units, estimate_difference, mean_or_none, tally
from worker.comparison.sentences import describe_power, describe_unknown_power
from worker.comparison.verdicts import Ruling, decide
from worker.metrics.power import detectable, power_of, required_n
from worker.metrics.significance import (
    NOISE,
    Randomisation,
    effect_size,
    holm,
    sign_flip_test,
)


class Chance(Struct, frozen=True):
    """The sign-flip test of one metric, and its p adjusted for all that were tested."""

    drawn: Randomisation
    p_holm: float


def compare_metrics(
    units: Mapping[str, Units], request: ComparisonRequest, rulings: Mapping[str, Ruling]
) -> dict[str, MetricComparison]:
    """Compare each metric over its units; a ruling replaces the verdict of its metric."""
    chances = find_chances(units, seed=request.seed)
    return {
        metric: _compare(each, chances.get(metric), request, rulings.get(metric))
        for metric, each in units.items()
    }


def find_chances(units: Mapping[str, Units], *, seed: int) -> dict[str, Chance]:
    """Test each metric of at least two units by sign flips, with Holm's correction across them."""
    drawn = {
        metric: sign_flip_test(each.differences, seed=seed)
        for metric, each in units.items()
        if len(each) > 1
    }
    adjusted = holm([each.p for each in drawn.values()])
    return {
        metric: Chance(each, p_holm)
        for (metric, each), p_holm in zip(drawn.items(), adjusted, strict=True)
    }


def _compare(
    units: Units, chance: Chance | None, request: ComparisonRequest, ruling: Ruling | None
) -> MetricComparison:
    differences = units.differences
    difference = estimate_difference(differences)
    counts = tally(differences, tie=request.tie)
    verdict = decide(
        differences,
        p=chance.p_holm if chance else None,
        margin=request.margin,
        alpha=request.alpha,
    )
    return MetricComparison(
        n=units.n,
        units=len(units) if len(units) < units.n else UNSET,
        baseline=mean_or_none(units.baseline),
        candidate=mean_or_none(units.candidate),
        difference=difference,
        significance=_report_chance(chance, difference.reason),
        effect=effect_size(differences),
        wins=counts.wins,
        ties=counts.ties,
        losses=counts.losses,
        power=_find_power(units, difference.sd, difference.reason, request),
        verdict=ruling.verdict if ruling else verdict,
        reason=ruling.reason if ruling else difference.reason,
    )


def _report_chance(chance: Chance | None, reason: str | UnsetType) -> Significance:
    if chance is None:
        return Significance(p=None, p_holm=None, exact=False, flips=0, reason=reason)
    drawn = chance.drawn
    return Significance(p=drawn.p, p_holm=chance.p_holm, exact=drawn.exact, flips=drawn.flips)


def _find_power(
    units: Units, sd: float | None, reason: str | UnsetType, request: ComparisonRequest
) -> Power:
    n = len(units)
    noun = "clusters" if n < units.n else "queries"
    if sd is None or sd <= NOISE:
        sentence = describe_unknown_power(n, noun)
        return Power(detectable=None, for_margin=None, sentence=sentence, reason=reason)
    least = detectable(sd, n, alpha=request.alpha)
    needed = required_n(sd, request.margin, alpha=request.alpha)
    return Power(
        detectable=least,
        for_margin=power_of(sd, n, request.margin, alpha=request.alpha),
        sentence=describe_power(n, noun, least=least, margin=request.margin, needed=needed),
    )
