"""Looks at a hold-out: which one it is, whether a run looked, and what that does to its worth."""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import structs

from reteval.contract.outcomes import Outcome
from reteval.contract.results import Results
from reteval.contract.splits import HOLDOUT, HoldoutLooks
from reteval.contract.testsets import Query
from worker.diagnosis.holdout import find_worn


def digest_holdout(name: str, queries: Iterable[Query]) -> str:
    """Digest a hold-out: the test set's name, and ids and texts of its queries in any order.

    Judgments are left out: mending one makes no query unseen.
    """
    rows = sorted(
        (query.id, query.query) for query in queries if query.split == HOLDOUT and not query.parent
    )
    return hashlib.sha256(msgspec.json.encode((name, rows))).hexdigest()


def count_answered(queries: Sequence[Query], outcomes: Sequence[Outcome]) -> int:
    """Count the answered queries of the hold-out; both are parallel."""
    return sum(
        outcome.status.answered and query.split == HOLDOUT
        for query, outcome in zip(queries, outcomes, strict=True)
    )


def note_look(report: Results, looks: HoldoutLooks, *, held_out: int) -> Results:
    """Write into a report which look it was, with a warning where there were many."""
    worn = find_worn(looks.look, held_out)
    return structs.replace(
        report,
        holdout_looks=looks,
        diagnostics=(*report.diagnostics, *([worn] if worn else ())),
    )
