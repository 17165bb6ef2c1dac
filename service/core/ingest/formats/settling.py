"""Settles the votes on a query: one judgment a document, or a refusal that names every place."""

from array import array
from collections.abc import Sequence
from typing import Final

from reteval.contract import limits
from reteval.contract.imports import ImportOptions
from reteval.contract.testsets import Judgment, JudgmentSource, Query
from service.core.ingest.formats.consensus import settle
from service.core.ingest.formats.group import Group, Votes
from service.core.ingest.formats.ledger import Ledger, Origin
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located

_DIFFER_FIX: Final = (
    "Say which counts with consensus=median, majority_then_min, mean_rounded or human_last; of a "
    "table, columns=…,rating:… takes one column."
)
_NEED: Final = "information_need"


class Settlement:
    """Settles query after query, and counts the documents that several raters judged."""

    def __init__(
        self, votes: Votes, origins: Sequence[Origin], ledger: Ledger, options: ImportOptions
    ) -> None:
        self.voted_pairs = self.differing_pairs = self.settled_pairs = 0
        self._votes, self._origins, self._ledger, self._options = votes, origins, ledger, options
        self._models = frozenset(filter(None, (m.strip() for m in options.models.split(","))))
        self._has_raters = any(origin.rater for origin in origins)
        self._shared: set[int] = set()

    def settle(self, group: Group) -> Located:
        """The query with one judgment a document; what is in conflict is refused."""
        places = list(self._votes.of(group))
        documents = list(map(self._votes.document, places))
        if len(set(documents)) == len(documents):
            relevant = list(map(Judgment, documents, map(self._votes.grades.__getitem__, places)))
        else:
            relevant, places = self._collapse(group, documents, places)
        if self._has_raters:
            relevant = list(map(self._attribute, relevant, places))
        query = Query(
            id=group.id,
            query=group.id if group.text is None else group.text,
            relevant=relevant,
            tags=list(group.tags),
            split=group.split,
            source=group.source,
            fields={_NEED: group.need} if group.need else {},
        )
        rows = array("I", map(self._votes.rows.__getitem__, places))
        return Located(query=query, row=group.at, judgment_rows=rows)

    def _attribute(self, judgment: Judgment, n: int) -> Judgment:
        """Name the rater of a judgment that is one rater's."""
        rater = self._origins[self._votes.origins[n]].rater
        if not rater or n in self._shared or find_flaw(rater, limits.MAX_NAME_BYTES):
            return judgment
        return Judgment(judgment.id, judgment.grade, rater=rater, source=JudgmentSource.IMPORT)

    def _collapse(
        self, group: Group, documents: list[str], places: list[int]
    ) -> tuple[list[Judgment], list[int]]:
        """One judgment a document, where votes agree or a rule settles them."""
        votes: dict[str, list[int]] = {}
        for document, n in zip(documents, places, strict=True):
            votes.setdefault(document, []).append(n)
        relevant: list[Judgment] = []
        kept: list[int] = []
        for document, found in votes.items():
            grade: int | None = self._votes.grades[found[0]]
            if len(found) > 1:
                grade = self._agree(group, document, found)
            if grade is not None:
                relevant.append(Judgment(document, grade))
                kept.append(found[0])
        return relevant, kept

    def _agree(self, group: Group, document: str, places: list[int]) -> int | None:
        """One grade for a document with several votes; None where they are in conflict."""
        ballots: dict[str, int] = {}
        grades = self._votes.grades
        for n in places:
            first = ballots.setdefault(self._origins[self._votes.origins[n]].rater, n)
            if first == n:
                continue
            if grades[first] != grades[n]:
                self._conflict(group, document, first, n)
                return None
            self._ledger.duplicates += 1
        if len(ballots) == 1:
            return grades[places[0]]
        self.voted_pairs += 1
        self._shared.add(places[0])
        named = [(rater, grades[n]) for rater, n in ballots.items()]
        if len({grade for _, grade in named}) == 1:
            return named[0][1]
        self.differing_pairs += 1
        if self._options.consensus is None:
            self._disagreement(document, list(ballots.values()))
            return None
        self.settled_pairs += 1
        return settle(self._options.consensus, named, self._models)

    def _conflict(self, group: Group, document: str, first: int, second: int) -> None:
        query, grades = (group.id or group.text or "")[:80], self._votes.grades
        message = (
            f"document {document[:200]!r} of query {query!r} has grade {grades[second]} here and "
            f"{grades[first]} {self._at(first)}"
        )
        self._refuse_at("conflict", (message, "Keep one of the two."), second)

    def _disagreement(self, document: str, places: list[int]) -> None:
        grades = ", ".join(f"{self._votes.grades[n]} {self._at(n)}" for n in places[:5])
        message = f"raters differ on document {document[:200]!r}: {grades}"
        self._refuse_at("raters_differ", (message, _DIFFER_FIX), places[-1])

    def _refuse_at(self, reason: str, said: tuple[str, str], n: int) -> None:
        self._ledger.conflicts += 1
        votes = self._votes
        origin = self._origins[votes.origins[n]]
        self._ledger.refuse(reason, said, origin, votes.rows[n], votes.member(n))

    def _at(self, n: int) -> str:
        origin = self._origins[self._votes.origins[n]]
        row = self._votes.rows[n]
        where = origin.place(row, self._votes.member(n)) or f"row {row}"
        rater = f" by {origin.rater[:80]}" if origin.rater else ""
        return f"in {where} of {origin.file}{rater}"
