"""Two runs in, report out."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, UnsetType

from reteval.contract.comparisons import ComparisonReport, ComparisonRequest
from reteval.contract.differences import Changes
from reteval.contract.metrics import choose_headline, parse_metric
from worker.comparison.cautions import MIN_ANSWERED, find_cautions
from worker.comparison.estimates import MIN_EQUAL, gather_units
from worker.comparison.metrics import compare_metrics
from worker.comparison.pairing import pair_runs
from worker.comparison.queries import MAX_MOVERS, MAX_SLICES, compare_slices, find_movers
from worker.comparison.rankings import compare_latency, measure_overlap
from worker.comparison.runs import IncomparableError, RunView, same_queries
from worker.comparison.sentences import describe_verdict
from worker.metrics.power import POWER
from worker.metrics.significance import EXACT_UP_TO, FLIPS

DEFAULT_K: Final = 10


def compare(
    comparison_id: str,
    request: ComparisonRequest,
    baseline: RunView,
    candidate: RunView,
    changes: Changes | UnsetType = UNSET,
) -> ComparisonReport:
    """Compare the candidate with the baseline over the queries answered in both.

    `changes` are those from the baseline's test set to the candidate's, if it is another one.

    Raises:
        IncomparableError: the runs share no metric, or not one that was asked for, or have
            different test sets without `on: intersection`.
        UnknownMetricError: a name that no metric has.
    """
    if not same_queries(baseline, candidate) and request.on is None:
        raise IncomparableError(
            f"{request.baseline!r} and {request.candidate!r} have different test sets or splits; "
            'add "on": "intersection" to compare the queries they share'
        )
    metrics = choose_metrics(request, baseline, candidate)
    primary = choose_primary(request, metrics)
    pairs = pair_runs(baseline, candidate, metrics)
    units = {metric: gather_units(baseline, candidate, pairs, metric) for metric in metrics}
    depth = min(baseline.depth, candidate.depth)
    k = parse_metric(primary).k or min(DEFAULT_K, depth)
    overlap = measure_overlap(baseline, candidate, pairs, k=k)
    cautions = find_cautions(baseline, candidate, pairs, units, overlap, changes)
    results = compare_metrics(units, request, cautions.rulings)
    return ComparisonReport(
        id=comparison_id,
        baseline=baseline.side,
        candidate=candidate.side,
        primary=primary,
        verdict=results[primary].verdict,
        sentence=describe_verdict(
            primary,
            results[primary],
            margin=request.margin,
            alpha=request.alpha,
            tested=sum(result.significance.p is not None for result in results.values()),
        ),
        n_common=pairs.n,
        dropped=pairs.dropped,
        metrics=results,
        slices=compare_slices(baseline, candidate, pairs, primary),
        movers=find_movers(baseline, candidate, pairs, primary, tie=request.tie),
        overlap=overlap,
        latency=compare_latency(baseline, candidate, pairs),
        warnings=cautions.warnings,
        definitions=_define(request),
        seed=request.seed,
        margin=request.margin,
        alpha=request.alpha,
        test_set_changes=changes,
    )


def choose_metrics(
    request: ComparisonRequest, baseline: RunView, candidate: RunView
) -> tuple[str, ...]:
    """Return the canonical names to compare: those asked for, or all that both runs have."""
    common = [metric for metric in baseline.values if metric in candidate.values]
    asked = [str(parse_metric(name)) for name in request.metrics] or common
    if request.primary is not None:
        asked = [str(parse_metric(request.primary)), *asked]
    missing = [metric for metric in asked if metric not in common]
    if missing:
        raise IncomparableError(
            f"{missing[0]!r} is not in both runs, which have {_name_some(common)}; "
            "choose one of these, or rescore the run that lacks it"
        )
    if not asked:
        raise IncomparableError("the runs have no metric in common; rescore one of them")
    return tuple(dict.fromkeys(asked))


def choose_primary(request: ComparisonRequest, metrics: Sequence[str]) -> str:
    """Return the metric that decides: the one named, else ndcg@10, mrr or the first."""
    if request.primary is not None:
        return str(parse_metric(request.primary))
    return choose_headline(metrics)


def _name_some(metrics: Sequence[str]) -> str:
    return ", ".join(metrics) or "none in common"


def _define(request: ComparisonRequest) -> dict[str, Any]:
    return {
        "difference": "candidate minus baseline, paired by query id and equal text",
        "pairs": "queries answered in both runs; others are counted in dropped",
        "units": "queries; queries of one cluster_id count once, by their mean",
        "interval": "paired t at 95 %",
        "p": (
            f"two-sided sign flips: exact for up to {EXACT_UP_TO} differences other than 0, "
            f"else (1 + hits) / (1 + {FLIPS}) with the seed"
        ),
        "p_holm": "Holm over the metrics of this comparison",
        "effect": "Cohen's d_z: mean difference over its standard deviation",
        "tie": request.tie,
        "power": (
            f"two-sided paired t at alpha, one metric alone; detectable at {POWER:.0%}, "
            "for_margin for a true difference of the margin"
        ),
        "verdict": (
            "no_change if the 90 % interval lies within the margin; else better or worse if "
            "p_holm <= alpha; else inconclusive"
        ),
        "no_variation": f"equal differences of at least {MIN_EQUAL} units stand for an interval",
        "min_answered": MIN_ANSWERED,
        "slices": f"primary metric, descriptive; the {MAX_SLICES} largest",
        "movers": f"up to {MAX_MOVERS} losses, then up to {MAX_MOVERS} gains",
        "overlap": "rankings cut at the lesser depth; repeats collapsed onto their first place",
        "latency": "queries answered at the first attempt in both runs",
    }
