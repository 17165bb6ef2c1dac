"""How much of what came back anyone ever judged."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, SHOWN_IDS, Row, RunFacts, count

LOOKED_AT: Final = 10
"""Places of each answer that are looked at; fewer where the run's depth is smaller."""
WANTED: Final = 0.8
LITTLE: Final = 0.5


class _Top(Struct, frozen=True, kw_only=True):
    # The top of one answer: different documents, and those of them that are not judged.
    query_id: str
    documents: int
    unjudged: list[str]

    @property
    def share(self) -> float:
        return 1 - len(self.unjudged) / self.documents


def find_low_judged(facts: RunFacts) -> Diagnostic | None:
    """Find a mean judged@10 below 0.8, and say how many judgments would lift it."""
    k = min(LOOKED_AT, facts.depth)
    tops = list(_read_tops(facts, k))
    if not tops:
        return None
    mean = sum(top.share for top in tops) / len(tops)
    if mean >= WANTED:
        return None
    missing = sum(len(top.unjudged) for top in tops)
    worst = sorted(tops, key=lambda top: top.share)[:MAX_EVIDENCE]
    return Diagnostic(
        code=DiagnosticCode.LOW_JUDGED,
        severity=Severity.WARN if mean < LITTLE else Severity.INFO,
        message=f"Mean judged@{k} is {mean:.2f} over {count(len(tops), 'answer')}: the rest of "
        "what came back was never judged and counts as not relevant, which a search that finds "
        "other good documents pays for.",
        fix=f"Judge {count(_least(tops), '(query, document) pair')} to lift it to {WANTED}, "
        f"{missing} for all; GET /v1/test-sets/{{id}}/unjudged lists them, most valuable first. "
        "Until then read judged_only beside each mean.",
        evidence=tuple(_show(top) for top in worst),
    )


def _read_tops(facts: RunFacts, k: int) -> Iterator[_Top]:
    for query, outcome, judged in facts.judged_answers():
        top = dict.fromkeys(outcome.ids[:k])
        if top:
            unjudged = [doc for doc in top if doc not in judged]
            yield _Top(query_id=query.id, documents=len(top), unjudged=unjudged)


def _least(tops: list[_Top]) -> int:
    """Count the pairs that lift the mean to what is wanted, shortest answers first."""
    wanted = WANTED * len(tops) - sum(top.share for top in tops)
    gains = sorted((1 / top.documents for top in tops for _ in top.unjudged), reverse=True)
    return 1 + sum(gained < wanted for gained in accumulate(gains[:-1]))


def _show(top: _Top) -> Row:
    return {
        "query_id": top.query_id,
        "judged": top.documents - len(top.unjudged),
        "of": top.documents,
        "unjudged": top.unjudged[:SHOWN_IDS],
    }
