"""Numbers that are 0 throughout although ids can meet: what stood in the way, query by query."""

from collections import Counter
from itertools import chain
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.outcomes import Outcome
from worker.diagnosis.facts import MAX_EVIDENCE, SHOWN_IDS, Grades, Row, RunFacts, count

_EMPTY: Final = "empty_answer"
_BEYOND_CUTOFF: Final = "beyond_cutoff"
_BELOW: Final = "below_relevant_from"
_NOT_RELEVANT: Final = "judged_not_relevant"
_OTHER: Final = "judged_for_other_queries"
_BEYOND_DEPTH: Final = "beyond_depth"
_NOT_FOUND: Final = "not_found"

_SAID: Final = {
    _EMPTY: "held nothing",
    _BEYOND_CUTOFF: "held a relevant document, but only after the last place that was scored",
    _BELOW: "held documents with a grade below relevant_from only",
    _NOT_RELEVANT: "held documents that were judged useless only",
    _OTHER: "held documents that are judged for other queries only",
    _BEYOND_DEPTH: "held no judged document in the part that was kept, and were longer than that",
    _NOT_FOUND: "held no judged document",
}
_FIXES: Final = {
    _EMPTY: "Send one of these queries by hand: is the right index searched, does the query text "
    'reach it, and does "hits" read the list where the hits are?',
    _BEYOND_CUTOFF: "Ask for larger cut-offs; if relevant documents belong further up, this is "
    "the finding.",
    _BELOW: "Lower the test set's relevant_from, which decides what counts as relevant, or ask "
    "for ndcg, which takes grades as they are.",
    _NOT_RELEVANT: "Check which way the grades run: a higher one means more relevant.",
    _OTHER: "Check that each query stands beside its own judgments: rows may have shifted, or "
    "query ids may have been mixed up.",
    _BEYOND_DEPTH: 'Raise "depth", so that more of each answer is kept.',
    _NOT_FOUND: "Check that the index holds the judged documents at all; if it does, this is the "
    "finding.",
}


def find_metric_zero(facts: RunFacts) -> Diagnostic | None:
    """Find a run in which every metric of effectiveness has a mean of 0.

    It blocks where no answer held anything: two such runs would look like no change.
    """
    means = [facts.means[m] for m in facts.metrics if m.name != "judged" and m in facts.means]
    if not means or any(mean.value != 0 for mean in means):
        return None
    fates = _tell_fates(facts)
    causes = Counter(cause for cause, _ in fates).most_common()
    main, _ = causes[0]
    listed = "; ".join(f"{n} {_SAID[cause]}" for cause, n in causes)
    return Diagnostic(
        code=DiagnosticCode.METRIC_ZERO,
        severity=Severity.BLOCK if len(causes) == 1 and main == _EMPTY else Severity.WARN,
        message=f"Every metric is 0. Of {count(len(fates), 'answer')}: {listed}.",
        fix=_FIXES[main],
        evidence=tuple(_show(cause, n, fates) for cause, n in causes[:MAX_EVIDENCE]),
    )


def _tell_fates(facts: RunFacts) -> list[tuple[str, Row]]:
    """Name what became of each answer, with the row that would show it."""
    everything = set(chain.from_iterable(facts.judged))
    cutoff = max((m.k or facts.depth for m in facts.metrics), default=facts.depth)
    return [
        (
            _tell_fate(outcome, judged, everything=everything, facts=facts),
            {
                "query_id": query.id,
                "returned": outcome.ids[:SHOWN_IDS],
                "judged": list(judged)[:SHOWN_IDS],
                "cutoff": cutoff,
            },
        )
        for query, outcome, judged in facts.judged_answers()
    ]


def _tell_fate(outcome: Outcome, judged: Grades, *, everything: set[str], facts: RunFacts) -> str:
    if not outcome.ids:
        return _EMPTY
    best = max((judged[doc] for doc in outcome.ids if doc in judged), default=None)
    if best is None:
        if not everything.isdisjoint(outcome.ids):
            return _OTHER
        return _BEYOND_DEPTH if outcome.returned > len(outcome.ids) else _NOT_FOUND
    if best >= facts.relevant_from:
        return _BEYOND_CUTOFF
    return _BELOW if best > 0 else _NOT_RELEVANT


def _show(cause: str, n: int, fates: list[tuple[str, Row]]) -> Row:
    example = next(row for name, row in fates if name == cause)
    return {"cause": cause, "answers": n, **example}
