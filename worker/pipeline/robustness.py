"""The adversarial block of a report: every kind, the control, out of corpus, the summary.

None of it enters the clean numbers, and queries without an answer enter no drop.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from msgspec import UNSET

from reteval.contract.adversarial import AdversarialReport, Calls, Control, KindReport, Summary
from reteval.contract.kinds import KINDS, Labels
from worker.pipeline.abstention import report_out_of_corpus
from worker.pipeline.drops import Loss, estimate_drop, measure_noise, try_losses
from worker.pipeline.hostile import report_hostile
from worker.pipeline.kind_figures import count_changed, list_rbo, measure_rbo
from worker.pipeline.kind_report import Trial, describe_traits, report_kind, run_trial
from worker.pipeline.pairing import Evidence, Scores, find_need, score_plan
from worker.pipeline.sensitivity import report_changing
from worker.pipeline.statuses import count_statuses

CONTROL: Final = "control.repeat"


def robustness(evidence: Evidence) -> AdversarialReport:
    """Report what the variants of a run showed.

    The unit is the information need: a query's variants are averaged first, then the queries
    of a cluster. Requests that failed are counted by status and left out of every mean; empty
    answers count, and are worth 0.
    """
    scores = score_plan(evidence)
    suite = evidence.suite
    trials = [run_trial(kind, evidence, scores) for kind in suite.kinds]
    control = next((trial for trial in trials if _is_control(trial)), None)
    kinds = _report_kinds(trials, evidence, scores, control)
    return AdversarialReport(
        suite=suite.version,
        seed=suite.seed,
        metric=str(evidence.metric),
        k=evidence.k,
        needs=_count_needs(evidence, frozenset(suite.sampled)),
        sampled_from=_count_needs(evidence),
        calls=_count_calls(evidence),
        control=None if control is None else _report_control(control, evidence),
        kinds=kinds,
        out_of_corpus=report_out_of_corpus(evidence, scores.metric),
        summary=_summarise(kinds),
        limits=_list_limits(control, kinds, suite.limits),
        changing=tuple(
            report_changing(trial, evidence, control) for trial in trials if _is_changing(trial)
        ),
        hostile=report_hostile(
            evidence, () if control is None else list_rbo(control.pairs, evidence)
        ),
    )


def _report_kinds(
    trials: Sequence[Trial], evidence: Evidence, scores: Scores, control: Trial | None
) -> tuple[KindReport, ...]:
    """Report the kinds that labels can judge; their tests are corrected for one another."""
    judged = [trial for trial in trials if not (_is_control(trial) or _is_changing(trial))]
    chances = try_losses([trial.loss for trial in judged], seed=evidence.suite.seed)
    return tuple(
        report_kind(trial, evidence, scores, noise=_measure_noise(control, trial), chance=chance)
        for trial, chance in zip(judged, chances, strict=True)
    )


def _is_changing(trial: Trial) -> bool:
    return describe_traits(trial.plan).labels == Labels.CHANGING


def _is_control(trial: Trial) -> bool:
    return trial.plan.kind == CONTROL and trial.plan.source == "generated"


def _measure_noise(control: Trial | None, trial: Trial) -> float:
    """Return the control's band in the trial's metric; none where no control was run."""
    if control is None:
        return 0.0
    values = trial.values
    clean, again = control.pairs.clean_by_need(values), control.pairs.variant_by_need(values)
    return measure_noise(Loss(clean=clean, variant=again))


def _report_control(control: Trial, evidence: Evidence) -> Control:
    pairs = control.pairs
    return Control(
        kind=CONTROL,
        drop=estimate_drop(control.loss, missing=control.missing),
        rbo=measure_rbo(pairs, evidence),
        changed_lists=count_changed(pairs, evidence),
        needs=pairs.needs,
        reason=UNSET if pairs.needs else control.missing,
    )


def _count_needs(evidence: Evidence, among: frozenset[str] | None = None) -> int:
    """Count the needs behind the clean scorable queries, or behind those in `among`."""
    queries = evidence.scorable
    return len({find_need(query) for query in queries if among is None or query.id in among})


def _count_calls(evidence: Evidence) -> Calls:
    sent = zip(evidence.plan, evidence.outcomes, strict=True)
    outcomes = [outcome for request, outcome in sent if request.kind]
    return Calls(planned=len(outcomes), **count_statuses(outcomes))


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
