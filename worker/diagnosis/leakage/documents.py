"""Queries beside the documents they may have been written from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from reteval.contract.leakage import DocumentMatch, DocumentOverlap
from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.passages import EXEMPT, Passage, describe_lift, measure_overlap
from worker.diagnosis.leakage.subject import Subject
from worker.diagnosis.leakage.tally import Tally
from worker.diagnosis.leakage.wording import normalise

MAX_COMPARISONS: Final = 200_000
"""Pairs of a query and a text that one check measures."""
_PASSAGES: Final = 5_000
NO_TEXTS: Final = "no_texts"


class Copied(Struct, frozen=True):
    """A query that was copied, by its place, and the document it stands in."""

    place: int
    document: str
    lift: Lift


class Copies(Struct, frozen=True, kw_only=True):
    """What was found among so many queries that could be compared; `exempt` were too short."""

    found: Sequence[Copied]
    compared: frozenset[int]
    exempt: int
    cut: bool = False

    @property
    def places(self) -> set[int]:
        """The places of the queries that were copied."""
        return {copied.place for copied in self.found}

    def report(self) -> DocumentOverlap:
        """Return the counts."""
        tally, n = Tally(), len(self.compared)
        for copied in self.found:
            tally.add(copied.lift.kind, 1, [copied.place])
        reason: str | UnsetType = UNSET if n else NO_TEXTS
        return DocumentOverlap(
            compared=n,
            exempt=self.exempt,
            queries=len(self.places),
            share=len(self.places) / n if n else None,
            kinds=tally.report(n) if n else {},
            reason=reason,
        )


def find_copies(
    subject: Subject,
    outcomes: Mapping[str, Outcome],
    corpus: Mapping[str, str],
    *,
    most: int = MAX_COMPARISONS,
) -> Copies:
    """Find copied queries: in what a run noted of its hits, and in the documents judged for them.

    `outcomes` are by query id, `corpus` maps ids to texts. The gravest copy of
    each counts. At most `most` pairs of a query and a document are measured.
    """
    seen = {
        place: outcome
        for place, query in enumerate(subject.queries)
        if (outcome := outcomes.get(query.id)) is not None and outcome.texts
    }
    best = {
        place: _read_hit(place, outcome, outcome.lift)
        for place, outcome in seen.items()
        if outcome.lift
    }
    pairs = list(islice(_pair(subject, corpus), most))
    for copied in _compare(subject, corpus, pairs):
        known = best.get(copied.place)
        if known is None or _weigh(copied.lift) > _weigh(known.lift):
            best[copied.place] = copied
    return Copies(
        found=sorted(best.values(), key=_order),
        compared=frozenset(seen) | {place for place, _ in pairs},
        exempt=sum(len(subject.words(place)) <= EXEMPT for place in range(len(subject.queries))),
        cut=len(pairs) == most,
    )


def find_in_corpus(subject: Subject, corpus: Mapping[str, str]) -> Iterator[DocumentMatch]:
    """Yield the queries whose whole text is a document's."""
    known = {normalise(text): document for document, text in corpus.items()}
    for normal, members in zip(subject.forms.normals, subject.forms.members, strict=True):
        if normal in known:
            for place in members:
                query = subject.queries[place]
                yield DocumentMatch(query_id=query.id, document_id=known[normal], text=query.query)


def find_shared_ids(queries: Sequence[Query], corpus: Mapping[str, str]) -> list[str]:
    """Return the ids of queries that are a document's, too, among those judged or given."""
    judged = {str(judgment.id) for query in queries for judgment in query.relevant or ()}
    return [query.id for query in queries if query.id in judged or query.id in corpus]


def _pair(subject: Subject, corpus: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the queries that can be compared, each with the documents of a grade above 0."""
    for place, query in enumerate(subject.queries if corpus else ()):
        if len(subject.words(place)) > EXEMPT:
            for judgment in query.relevant or ():
                if judgment.grade > 0 and str(judgment.id) in corpus:
                    yield place, str(judgment.id)


def _compare(
    subject: Subject, corpus: Mapping[str, str], pairs: Iterable[tuple[int, str]]
) -> Iterator[Copied]:
    """Yield the queries that stand in a document, as often as they do."""

    @lru_cache(maxsize=_PASSAGES)
    def read(document: str) -> Passage:
        return Passage.read(corpus[document])

    for place, document in pairs:
        words, passage = subject.words(place), read(document)
        overlap = measure_overlap(words, passage)
        if kind := overlap.kind:
            yield Copied(place, document, describe_lift(kind, words, overlap, passage))


def _read_hit(place: int, outcome: Outcome, lift: Lift) -> Copied:
    """Name the document of a hit; where hits are rolled up, their ids are not kept."""
    known = outcome.hits is None and lift.rank <= len(outcome.ids)
    return Copied(place, outcome.ids[lift.rank - 1] if known else f"hit {lift.rank}", lift)


def _weigh(lift: Lift) -> tuple[bool, int, float]:
    return (lift.kind is LeakKind.VERBATIM, lift.run, lift.containment)


def _order(copied: Copied) -> tuple[bool, int, float, int]:
    verbatim, run, containment = _weigh(copied.lift)
    return (not verbatim, -run, -containment, copied.place)
