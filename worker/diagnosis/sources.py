"""Where the queries come from."""

from collections import Counter
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, RunFacts, count
from worker.diagnosis.leakage.subject import is_written

MOSTLY: Final = 0.5


def find_synthetic_share(facts: RunFacts) -> Diagnostic | None:
    """Find a test set of which nobody asked more than half."""
    total = len(facts.queries)
    sources = Counter(query.source for query in facts.queries)
    written = sum(n for source, n in sources.items() if is_written(source))
    if not total or written <= MOSTLY * total:
        return None
    return Diagnostic(
        code=DiagnosticCode.SYNTHETIC_SHARE,
        severity=Severity.WARN,
        message=f"{written} of {count(total, 'query', 'queries')} were written by a model, which "
        "saw the documents: they use the words of the documents, and score higher than what "
        "people ask.",
        fix="Read the slices by source side by side: what queries of people score is the number, "
        "the rest above it is inflation. Add queries from a log.",
        evidence=tuple(
            {"source": source or "unknown", "queries": n}
            for source, n in sources.most_common(MAX_EVIDENCE)
        ),
    )
