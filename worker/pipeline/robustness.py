"""The adversarial block of a report: every kind, the control, out of corpus, the summary.

None of it enters the clean numbers, and queries without an answer enter no drop.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from msgspec import UNSET

from reteval.contract.adversarial import AdversarialReport, Calls, Control, KindReport, Summary
from reteval.contract.kinds import KINDS, Labels
from worker.adversarial.planning import KindPlan
from worker.pipeline.abstention import report_out_of_corpus
from worker.pipeline.drops import Loss, estimate_drop, measure_noise, try_losses
from worker.pipeline.hostile import report_hostile
from worker.pipeline.kind_figures import count_changed, measure_rbo
from worker.pipeline.kind_report import Trial, report_kind, run_trial
from worker.pipeline.pairing import Evidence, find_need
from worker.pipeline.sensitivity import report_changing
from worker.pipeline.statuses import fill_counts
from worker.pipeline.traits import CONTROL, describe_traits, is_control
from worker.pipeline.variants import Variants, headline


def robustness(variants: Variants) -> AdversarialReport:
    """Report what the variants of a run showed.

    The unit is the information need: a query's variants are averaged first, then the queries
    of a cluster. Requests that failed are counted by status and left out of every mean; empty
    answers count, and are worth 0.
    """
    evidence, suite = variants.evidence, variants.evidence.suite
    control = next((run_trial(plan, variants) for plan in suite.kinds if is_control(plan)), None)
    kinds = _report_kinds(variants, control)
    return AdversarialReport(
        suite=suite.version,
        seed=suite.seed,
        metric=str(evidence.metric),
        k=evidence.k,
        needs=_count_needs(evidence, frozenset(suite.sampled)),
        sampled_from=_count_needs(evidence),
        calls=_count_calls(variants),
        control=None if control is None else _report_control(control),
        kinds=kinds,
        out_of_corpus=report_out_of_corpus(variants),
        summary=_summarise(kinds),
        limits=_list_limits(control, kinds, suite.limits),
        changing=tuple(
            report_changing(run_trial(plan, variants), variants, control)
            for plan in suite.kinds
            if describe_traits(plan).changing
        ),
        hostile=report_hostile(
            variants, [] if control is None else control.rows["rbo"][control.pairs.variants]
        ),
    )


def _report_kinds(variants: Variants, control: Trial | None) -> tuple[KindReport, ...]:
    """Report the kinds that labels can judge; their tests are corrected for one another.

    Each is read twice, for its test and for its report, so that one at a time is held.
    """
    judged = [plan for plan in variants.evidence.suite.kinds if _is_judged(plan)]
    losses = (run_trial(plan, variants).loss for plan in judged)
    chances = try_losses(losses, seed=variants.evidence.suite.seed)
    reports = []
    for plan, chance in zip(judged, chances, strict=True):
        trial = run_trial(plan, variants)
        noise = _measure_noise(control, trial, variants)
        reports.append(report_kind(trial, variants, noise=noise, chance=chance))
    return tuple(reports)


def _is_judged(plan: KindPlan) -> bool:
    return not (is_control(plan) or describe_traits(plan).changing)


def _measure_noise(control: Trial | None, trial: Trial, variants: Variants) -> float:
    """Return the control's band in the trial's metric; none where no control was run."""
    if control is None:
        return 0.0
    clean = headline(variants.figures, reducing=trial.reducing)
    again = control.rows["recall" if trial.reducing else "metric"]
    pairs = control.pairs
    return measure_noise(
        Loss(clean=pairs.clean_by_need(clean), variant=pairs.variant_by_need(again))
    )


def _report_control(control: Trial) -> Control:
    pairs = control.pairs
    return Control(
        kind=CONTROL,
        drop=estimate_drop(control.loss, missing=control.missing),
        rbo=measure_rbo(pairs, control.rows),
        changed_lists=count_changed(pairs, control.rows),
        needs=pairs.needs,
        reason=UNSET if pairs.needs else control.missing,
    )


def _count_needs(evidence: Evidence, among: frozenset[str] | None = None) -> int:
    """Count the needs behind the clean scorable queries, or behind those in `among`."""
    queries = evidence.scorable
    return len({find_need(query) for query in queries if among is None or query.id in among})


def _count_calls(variants: Variants) -> Calls:
    counts = fill_counts(variants.statuses)
    return Calls(planned=sum(counts.values()), **counts)


def _summarise(kinds: Sequence[KindReport]) -> Summary:
    """Average each kind's severities, then the kinds, so that no kind counts more than once."""
    drops: dict[tuple[str, str], list[float]] = {}
    worst: tuple[float, str] | None = None
    for report in kinds:
        if report.drop.mean is None:
            continue
        drops.setdefault((report.kind, report.source), []).append(report.drop.mean)
        if worst is None or report.drop.mean > worst[0]:
            worst = report.drop.mean, report.kind
    means = [fmean(severities) for severities in drops.values()]
    return Summary(
        macro_drop=fmean(means) if means else None,
        kinds_run=len(drops),
        worst_kind=worst[1] if worst else None,
        inconclusive=sum(report.verdict == "inconclusive" for report in kinds),
        kinds=tuple(dict.fromkeys(kind for kind, _ in drops)),
        verdicts=dict(Counter(report.verdict for report in kinds)),
        reason=UNSET if means else "no_kind_run",
    )


def _list_limits(
    control: Trial | None, kinds: Sequence[KindReport], planned: Sequence[str]
) -> tuple[str, ...]:
    limits = dict.fromkeys(planned)
    for report in kinds:
        limits.update(dict.fromkeys(_list_kind_limits(report)))
    if kinds and control is None:
        limits[f"{CONTROL} was not run: verdicts do not allow for the endpoint's own noise"] = None
    if len(kinds) > 1:
        limits["intervals are not adjusted for the number of kinds; p_holm and verdicts are"] = None
    return tuple(limits)


def _list_kind_limits(report: KindReport) -> list[str]:
    limits = []
    if report.labels == Labels.REDUCING:
        limits.append(f"{report.kind}: labels reduce; {report.headline} shown")
    if report.kind not in KINDS:
        limits.append(f"{report.kind}: taken to keep the judgments of its query")
    planned = sum(report.status.values())
    lost = planned - report.status["ok"] - report.status["ok_empty"]
    if lost:
        limits.append(
            f"{report.kind} at severity {report.severity}: "
            f"{lost} of {planned} requests have no answer and are left out"
        )
    return limits
