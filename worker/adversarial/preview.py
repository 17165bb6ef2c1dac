"""Shows the variants of some queries as a run of the same set, request and seed would send them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from reteval.contract.choice import choose, suite_fingerprint
from reteval.contract.kinds import SUITE
from reteval.contract.previews import MAX_PREVIEWED, PreviewedVariant, PreviewReport
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Query
from worker.adversarial.marking import mark_edits
from worker.adversarial.misspelling import ATTESTED, read_attested
from worker.adversarial.planning import Cell, Setting, make_variant
from worker.adversarial.variant import NotApplicable
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import fold


def preview(
    queries: Sequence[Query], request: AdversarialRequest, language: str = ""
) -> PreviewReport:
    """Make every variant of the first queries (at most 50, or the request's `sample`).

    `queries` are the whole set: its words decide which are rare and which are names. Queries
    out of corpus and hostile strings are made of no query, and are not shown.

    Raises:
        ValueError: a suite, preset or kind that does not exist.
    """
    choice = choose(request)
    vocabulary = Vocabulary.build(
        (query.query for query in queries if query.expect is not Expect.NOTHING),
        language=language,
        misspellings=read_attested() if choice.has(ATTESTED) else None,
    )
    setting = Setting(
        seed=request.seed,
        vocabulary=vocabulary,
        taken=frozenset(fold(query.query) for query in queries),
    )
    cells = [
        Cell(kind, severity, replicate)
        for kind, severity in choice.kinds
        for replicate in range(kind.count(severity))
    ]
    clean = [query for query in queries if not query.parent and query.expect is None]
    shown = clean[: min(MAX_PREVIEWED, request.sample or MAX_PREVIEWED)]
    return PreviewReport(
        suite=SUITE,
        seed=request.seed,
        fingerprint=suite_fingerprint(request),
        language=vocabulary.language.code,
        variants=tuple(_show(query, cell, setting) for query in shown for cell in cells),
    )


def name_queries(texts: Iterable[str]) -> Iterator[Query]:
    """Yield texts as queries, with the ids that they would have in a test set."""
    for text in texts:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        yield Query(id=f"q_{digest[:12]}", query=text)


def _show(query: Query, cell: Cell, setting: Setting) -> PreviewedVariant:
    made = make_variant(query, cell, setting)
    shown = PreviewedVariant(
        query_id=query.id,
        query=query.query,
        kind=cell.kind.name,
        severity=cell.severity,
        replicate=cell.replicate,
        labels=cell.kind.labels.value,
        text=None,
    )
    if isinstance(made, NotApplicable):
        return structs.replace(shown, reason=made.reason)
    pieces = mark_edits(query.query, made.text)
    return structs.replace(shown, text=made.text, ops=made.ops, pieces=pieces)
