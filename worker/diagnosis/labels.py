"""Labels too coarse, too few or too uniform for the metrics that were asked for."""

from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, RunFacts, count

ONE_GRADE: Final = 0.95
"""Share of the positive judgments from which on one grade is as good as the only one."""
ENOUGH_JUDGMENTS: Final = 20
_SEVERAL: Final = 2


def find_binary_labels(facts: RunFacts) -> Diagnostic | None:
    """Find graded metrics over judgments that know a single positive grade."""
    graded = _graded(facts)
    positive = _positive(facts)
    if not graded or len(positive) != 1:
        return None
    ((grade, n),) = positive.items()
    return Diagnostic(
        code=DiagnosticCode.BINARY_ONLY,
        severity=Severity.WARN,
        message=f"Every relevant document has grade {grade}, so {', '.join(graded)} cannot "
        "tell a perfect document from a barely useful one.",
        fix="Grade the judgments, such as 3 = answers the query, 2 = helps, 1 = touches it, "
        "0 = looked at and useless; or read recall, precision, mrr and map, which need no "
        "grades.",
        evidence=({"grade": grade, "judgments": n, "graded_metrics": graded},),
    )


def find_collapsed_grades(facts: RunFacts) -> Diagnostic | None:
    """Find grades that change no number: nearly all alike, or no metric that reads them."""
    positive = _positive(facts)
    if len(positive) < _SEVERAL or not _effectiveness(facts):
        return None
    graded = _graded(facts)
    total, most = sum(positive.values()), max(positive.values())
    alike = most >= ONE_GRADE * total
    if alike is not bool(graded) or (alike and total < ENOUGH_JUDGMENTS):
        return None
    return Diagnostic(
        code=DiagnosticCode.GRADED_COLLAPSED,
        severity=Severity.WARN if graded else Severity.INFO,
        message=f"{most} of {total} relevant documents have one grade: {', '.join(graded)} can "
        "hardly tell a perfect document from a barely useful one."
        if graded
        else f"The judgments have {len(positive)} grades of relevance, but no metric of this run "
        "reads them: a document of the highest grade counts as one of the lowest.",
        fix="Look again at the judgments: use the whole scale, or read recall, mrr and map, which "
        "need no grades."
        if graded
        else "Ask for ndcg@10 as well, which rewards the better documents further up.",
        evidence=tuple(
            {"grade": grade, "judgments": positive[grade]}
            for grade in sorted(positive, reverse=True)[:MAX_EVIDENCE]
        ),
    )


def find_single_relevant(facts: RunFacts) -> Diagnostic | None:
    """Find a test set in which each query has exactly one relevant document."""
    if not facts.queries or any(
        sum(grade >= facts.relevant_from for grade in judged.values()) != 1
        for judged in facts.judged
    ):
        return None
    rows = zip(facts.queries, facts.judged, strict=True)
    return Diagnostic(
        code=DiagnosticCode.ONE_RELEVANT_EACH,
        severity=Severity.INFO,
        message=f"Each of the {count(len(facts.queries), 'query', 'queries')} has exactly one "
        "relevant document: recall@k is 0 or 1 for a query and the same as hit_rate@k, map is "
        "mrr, and ndcg follows the rank of that one document.",
        fix="Read hit_rate@k and mrr; the others add nothing. If further documents answer these "
        "queries, judge them, or a search that finds them looks worse than it is.",
        evidence=tuple(
            {
                "query_id": query.id,
                "relevant": next(d for d, grade in judged.items() if grade >= facts.relevant_from),
            }
            for query, judged in list(rows)[:MAX_EVIDENCE]
        ),
    )


def _positive(facts: RunFacts) -> dict[int, int]:
    return {int(grade): n for grade, n in facts.grades.items() if int(grade) > 0 and n > 0}


def _graded(facts: RunFacts) -> list[str]:
    return [str(metric) for metric in facts.metrics if metric.graded]


def _effectiveness(facts: RunFacts) -> list[str]:
    return [str(metric) for metric in facts.metrics if metric.name != "judged"]
