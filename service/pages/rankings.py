"""A ranked list as a page shows it: what was returned, how it was judged, and what is missing."""

from msgspec import Struct

from service.core.query_details import QueryDetails


class Hit(Struct, frozen=True, kw_only=True):
    """A document of an answer. `grade` is None where nobody judged it.

    A `repeat` was in the answer before: it keeps its place and gains nothing.
    """

    rank: int
    id: str
    grade: int | None
    relevant: bool
    score: float | None = None
    repeat: bool = False


class Missing(Struct, frozen=True, kw_only=True):
    """A relevant document that the answer does not have."""

    id: str
    grade: int


class Ranked(Struct, frozen=True, kw_only=True):
    """The answer to one query against its judgments; `missing` has the highest grades first."""

    hits: tuple[Hit, ...]
    missing: tuple[Missing, ...]
    relevant: int
    judged: int

    @property
    def places(self) -> dict[str, int]:
        """The first rank of each document, by its id."""
        return {hit.id: hit.rank for hit in reversed(self.hits)}

    @property
    def unjudged(self) -> int:
        """How many places hold documents that nobody judged."""
        return sum(hit.grade is None for hit in self.hits)


def rank(details: QueryDetails) -> Ranked:
    """Hold the answer of a query against its judgments."""
    grades = {str(judgment.id): judgment.grade for judgment in details.judgments}
    relevant = {doc for doc, grade in grades.items() if grade >= details.relevant_from}
    ids, scores = details.outcome.ids, details.outcome.scores
    seen: set[str] = set()
    hits = []
    for place, doc in enumerate(ids):
        hits.append(
            Hit(
                rank=place + 1,
                id=doc,
                grade=grades.get(doc),
                relevant=doc in relevant,
                score=None if scores is None else scores[place],
                repeat=doc in seen,
            )
        )
        seen.add(doc)
    missing = [
        Missing(id=doc, grade=grade) for doc, grade in grades.items() if doc in relevant - seen
    ]
    return Ranked(
        hits=tuple(hits),
        missing=tuple(sorted(missing, key=lambda one: -one.grade)),
        relevant=len(relevant),
        judged=len(grades),
    )
