"""Where the queries come from, and on which side of a split the numbers are better."""

import math
from collections import Counter
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, RunFacts, count
from worker.diagnosis.leakage.subject import is_written

MOSTLY: Final = 0.5
ENOUGH_QUERIES: Final = 20
"""On each side of a split."""
STANDARD_ERRORS: Final = 2.0
"""Of the difference, beyond which it is no chance."""


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


def find_reversed_splits(facts: RunFacts) -> Diagnostic | None:
    """Find held-out queries that score better than those a search was tuned on."""
    if facts.tuned is None or facts.held is None:
        return None
    tuned, held = facts.tuned, facts.held
    if min(tuned.n, held.n) < ENOUGH_QUERIES:
        return None
    error = math.sqrt(tuned.sd**2 / tuned.n + held.sd**2 / held.n)
    if held.mean - tuned.mean <= STANDARD_ERRORS * error:
        return None
    return Diagnostic(
        code=DiagnosticCode.HOLDOUT_BETTER_THAN_TUNE,
        severity=Severity.WARN,
        message=f"Mean {facts.split_metric} is {held.mean:.3f} over {held.n} held-out queries and "
        f"{tuned.mean:.3f} over the {tuned.n} that are there to tune with: what was tuned on is "
        "seldom the harder part. The sides may be swapped, or unlike.",
        fix="Check which split the search was tuned on, and that queries were dealt at random; "
        "split anew by need, stratified by source and difficulty.",
        evidence=(
            {"side": "tuning", "mean": tuned.mean, "queries": tuned.n},
            {"side": "held out", "mean": held.mean, "queries": held.n},
        ),
    )
