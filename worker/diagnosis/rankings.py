"""Rankings that do not depend on the query."""

from collections import Counter
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, SHOWN_IDS, Row, RunFacts, count

ENOUGH_ANSWERS: Final = 10
SAME_LIST: Final = 0.5
SAME_TOP: Final = 0.9
_COMPARED: Final = 10
"""Places of a ranking that are compared."""
_MIN_LIST: Final = 2
"""Hits from which on a list says more than its first document."""


def find_constant_ranking(facts: RunFacts) -> Diagnostic | None:
    """Find one list in most answers, or one first document in nearly all of them.

    A first document that is relevant to most queries that got it is no finding.
    """
    answers = [
        (query.id, tuple(outcome.ids[:_COMPARED]), judged)
        for query, outcome, judged in facts.judged_answers()
        if outcome.ids
    ]
    if len(answers) < ENOUGH_ANSWERS:
        return None
    ((shared, times),) = Counter(ids for _, ids, _ in answers).most_common(1)
    if len(shared) >= _MIN_LIST and times > SAME_LIST * len(answers):
        rows = [(query_id, ids) for query_id, ids, _ in answers if ids == shared]
        return _report(f"the same {len(shared)} documents in the same order", rows, len(answers))
    ((top, times),) = Counter(ids[0] for _, ids, _ in answers).most_common(1)
    having = [row for row in answers if row[1][0] == top]
    right = sum(judged.get(top, 0) >= facts.relevant_from for _, _, judged in having)
    if times < SAME_TOP * len(answers) or 2 * right >= times:
        return None
    rows = [(query_id, ids) for query_id, ids, _ in having]
    return _report(f"document {top!r} first", rows, len(answers))


def find_tied_scores(facts: RunFacts) -> Diagnostic | None:
    """Find answers in which every hit has one score, so that only the place tells them apart."""
    scored = [
        (query_id, outcome)
        for query_id, outcome in facts.answers()
        if outcome.scores is not None and len(outcome.scores) >= _MIN_LIST
    ]
    tied = [
        (query_id, outcome) for query_id, outcome in scored if len(set(outcome.scores or ())) == 1
    ]
    if len(scored) < ENOUGH_ANSWERS or len(tied) < SAME_TOP * len(scored):
        return None
    return Diagnostic(
        code=DiagnosticCode.SCORES_MISSING_TIES,
        severity=Severity.INFO,
        message=f"In {len(tied)} of {count(len(scored), 'answer')} all hits have the same score. "
        "The order of the answer counts here, but tools that sort by score break such ties by id "
        "and come to other numbers.",
        fix="Have the endpoint return the score it sorts by, or map another field as `score`; "
        "leave the scores out where they mean nothing.",
        evidence=tuple(
            {"query_id": query_id, "hits": len(outcome.ids), "score": (outcome.scores or [0.0])[0]}
            for query_id, outcome in tied[:MAX_EVIDENCE]
        ),
    )


def _report(what: str, rows: list[tuple[str, tuple[str, ...]]], answers: int) -> Diagnostic:
    return Diagnostic(
        code=DiagnosticCode.CONSTANT_RANKING,
        severity=Severity.WARN,
        message=f"{len(rows)} of {count(answers, 'answer')} have {what}: the ranking hardly "
        "depends on the query.",
        fix="Check that {{query}} stands where the endpoint reads the query text, and that no "
        "cache, filter or fixed boost answers in its place. Send two different queries by hand "
        "and compare.",
        evidence=tuple(_show(*row) for row in rows[:MAX_EVIDENCE]),
    )


def _show(query_id: str, ids: tuple[str, ...]) -> Row:
    return {"query_id": query_id, "first": list(ids[:SHOWN_IDS])}
