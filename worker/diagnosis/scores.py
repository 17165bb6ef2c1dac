"""Scores that are too good: a leak, or a test set that cannot tell systems apart."""

import re
from itertools import chain
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.metrics import Metric
from reteval.contract.testsets import Query
from worker.diagnosis.facts import Grades, Mean, Row, RunFacts
from worker.diagnosis.leakage.subject import is_tuning, is_written

SUSPICIOUS_RECALL: Final = 0.95
SATURATED_FROM: Final = 0.99
ENOUGH_QUERIES: Final = 20
TINY_CORPUS: Final = 100
"""Documents below which a list of ten is a large part of the corpus."""

_MIN_ID: Final = 4
"""Shorter ids stand in a text by chance."""
_WORD: Final = re.compile(r"[^\W_]+")


def find_high_score(facts: RunFacts) -> Diagnostic | None:
    """Find a mean recall@5 above 0.95 over 20 queries or more."""
    found = facts.recall_at_5
    if found is None or found.value <= SUSPICIOUS_RECALL or found.n < ENOUGH_QUERIES:
        return None
    causes = _look_for_causes(facts)
    seen = ", ".join(str(row["cause"]) for row in causes if row["seen"])
    return Diagnostic(
        code=DiagnosticCode.SCORE_TOO_HIGH,
        severity=Severity.WARN,
        message=f"Mean recall@5 is {found.value:.3f} over {found.n} queries. Real test queries "
        "are rarely that easy: the queries may leak from tuning data or from the documents "
        f"themselves. Signs seen: {seen or 'none of those that can be seen from here'}.",
        fix="Check that no query was used for tuning or written while looking at its document; "
        "hold out queries that people really asked; add harder ones. If the score is real, "
        "compare systems by ndcg@10 or a smaller cut-off, since this set can no longer show "
        "an improvement.",
        evidence=(
            {
                "metric": "recall@5",
                "mean": found.value,
                "queries": found.n,
                "threshold": SUSPICIOUS_RECALL,
            },
            *causes,
        ),
    )


def find_saturated(facts: RunFacts) -> Diagnostic | None:
    """Find a recall or hit rate that is as good as 1 at the largest cut-off it was asked at."""
    rows = []
    for name in ("recall", "hit_rate"):
        asked = [metric for metric in facts.metrics if metric.name == name]
        for metric in sorted(asked, key=lambda metric: metric.k or 0)[-1:]:
            found = facts.means.get(metric)
            if found and found.value >= SATURATED_FROM and found.n >= ENOUGH_QUERIES:
                rows.append(_saturation(metric, found))
    if not rows:
        return None
    named = " and ".join(row["metric"] for row in rows)
    return Diagnostic(
        code=DiagnosticCode.SATURATED,
        severity=Severity.INFO,
        message=f"Nearly every query has all that {named} can give: a better search cannot "
        "score higher, and a comparison by it will find no change.",
        fix="Compare by a smaller cut-off or by ndcg@10, or add harder queries.",
        evidence=tuple(rows),
    )


def _saturation(metric: Metric, found: Mean) -> Row:
    return {
        "metric": str(metric),
        "mean": found.value,
        "queries": found.n,
        "threshold": SATURATED_FROM,
    }


def _look_for_causes(facts: RunFacts) -> tuple[Row, ...]:
    """Count the signs of what usually makes a score too high."""
    written = sum(is_written(query.source) for query in facts.queries)
    tuned = sum(is_tuning(query.split) for query in facts.queries)
    told = sum(map(_tells_answer, facts.queries, facts.judged))
    documents = len(set(chain.from_iterable(outcome.ids for _, outcome in facts.answers())))
    return (
        _cause("leakage", "queries whose source is llm, synthetic or generated", written),
        _cause("tuning_queries", "queries in a split for tuning, such as train or dev", tuned),
        _cause(
            "tiny_corpus",
            "different documents in all answers",
            documents,
            seen=documents < TINY_CORPUS,
        ),
        _cause("answers_in_query", "queries that spell the id of a judged document", told),
    )


def _cause(name: str, sign: str, count: int, *, seen: bool | None = None) -> Row:
    return {
        "cause": name,
        "sign": sign,
        "count": count,
        "seen": count > 0 if seen is None else seen,
    }


def _tells_answer(query: Query, judged: Grades) -> bool:
    """Whether the words of a judged id stand in the query, one after the other."""
    text = _spell(query.query)
    spelled = (_spell(doc) for doc, grade in judged.items() if grade > 0 and len(doc) >= _MIN_ID)
    return any(words in text for words in spelled if words.strip())


def _spell(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
