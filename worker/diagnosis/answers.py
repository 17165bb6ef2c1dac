"""Answers whose shape bends the numbers: repeats, too many hits, too few hits."""

from collections import Counter

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import Outcome
from worker.diagnosis.facts import MAX_EVIDENCE, Row, RunFacts, count


def find_duplicates(facts: RunFacts) -> Diagnostic | None:
    """Find answers that hold a document more than once."""
    repeating = [
        (query_id, outcome)
        for query_id, outcome in facts.answers()
        if len(set(outcome.ids)) < len(outcome.ids)
    ]
    if not repeating:
        return None
    repeats = sum(len(outcome.ids) - len(set(outcome.ids)) for _, outcome in repeating)
    return Diagnostic(
        code=DiagnosticCode.DUPLICATE_HITS,
        severity=Severity.WARN,
        message=f"{count(len(repeating), 'answer')} returned the same document more than "
        f"once, {count(repeats, 'hit')} in all. The first place counts; a repeat keeps its "
        "place and is worth nothing.",
        fix="If the endpoint returns passages, collapse them by document before answering, or "
        "judge passages instead of documents. If it merges several searches, remove repeats "
        "after merging.",
        evidence=tuple(_most_repeated(*answer) for answer in repeating[:MAX_EVIDENCE]),
    )


def find_cut_answers(facts: RunFacts) -> Diagnostic | None:
    """Find answers longer than the depth asked for."""
    longer = [
        {"query_id": query_id, "returned": outcome.returned, "kept": len(outcome.ids)}
        for query_id, outcome in facts.answers()
        if outcome.returned > len(outcome.ids)
    ]
    if not longer:
        return None
    return Diagnostic(
        code=DiagnosticCode.LONG_ANSWERS_CUT,
        severity=Severity.INFO,
        message=f"{count(len(longer), 'answer')} held more hits than the {facts.depth} asked "
        "for; what came after them was left out.",
        fix="Make the endpoint honour top_k, or pass {{k}} in the parameter it reads; to score "
        'the longer answers, raise "depth".',
        evidence=tuple(longer[:MAX_EVIDENCE]),
    )


def find_short_answers(facts: RunFacts) -> Diagnostic | None:
    """Find answers with fewer hits than the largest cut-off, empty ones included.

    It weighs more where no answer reaches the cut-off: the endpoint, or the run's own depth,
    then caps every list, and the metric is not the one its name says.
    """
    wanted = max((metric.k or 0 for metric in facts.metrics), default=0)
    lengths = {query_id: len(outcome.ids) for query_id, outcome in facts.answers()}
    short = {query_id: n for query_id, n in lengths.items() if n < wanted}
    if not short:
        return None
    longest = max(lengths.values())
    capped = longest < wanted
    return Diagnostic(
        code=DiagnosticCode.DEPTH_SHORTFALL,
        severity=Severity.WARN if capped else Severity.INFO,
        message=f"{len(short)} of {count(len(lengths), 'answer')} held fewer hits than the "
        f"largest cut-off, {wanted}; the longest held {longest}. Missing places count as not "
        "relevant.",
        fix=_lengthen(facts.depth, wanted=wanted, capped=capped),
        evidence=tuple(
            {"query_id": query_id, "hits": n, "cutoff": wanted}
            for query_id, n in list(short.items())[:MAX_EVIDENCE]
        ),
    )


def _most_repeated(query_id: str, outcome: Outcome) -> Row:
    ((document, times),) = Counter(outcome.ids).most_common(1)
    return {"query_id": query_id, "id": document, "times": times}


def _lengthen(depth: int, *, wanted: int, capped: bool) -> str:
    if depth < wanted:
        return f'Raise "depth" from {depth} to {wanted} or more, or ask for smaller cut-offs.'
    if capped:
        return (
            "The endpoint seems to cap its answers or to ignore top_k: pass {{k}} in the "
            f"parameter it reads, or ask for cut-offs it can reach instead of {wanted}."
        )
    return (
        "Nothing, if the endpoint rightly found no more (a score threshold, a small corpus); "
        "otherwise look at the queries above and ask for smaller cut-offs."
    )
