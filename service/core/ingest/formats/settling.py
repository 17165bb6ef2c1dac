"""Settles the votes on a query: one judgment a document, or a refusal that names every place."""

from array import array
from collections.abc import Sequence
from typing import Final

from reteval.contract import limits
from reteval.contract.imports import ImportOptions
from reteval.contract.testsets import Judgment, JudgmentSource, Query
from service.core.ingest.formats.consensus import settle
from service.core.ingest.formats.group import Group
from service.core.ingest.formats.ledger import Ledger, Origin
from service.core.ingest.formats.votes import Cast
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located

_DIFFER_FIX: Final = (
    "Say which counts with consensus=median, majority_then_min, mean_rounded or human_last; of a "
    "table, columns=…,rating:… takes one column."
)
_NEED: Final = "information_need"


class Settlement:
    """Settles query after query, and counts the documents that several raters judged."""

    def __init__(self, origins: Sequence[Origin], ledger: Ledger, options: ImportOptions) -> None:
        self.voted_pairs = self.differing_pairs = self.settled_pairs = 0
        self._origins, self._ledger, self._options = origins, ledger, options
        self._models = frozenset(filter(None, (m.strip() for m in options.models.split(","))))
        self._has_raters = any(origin.rater for origin in origins)

    def settle(self, group: Group, casts: list[Cast]) -> Located:
        """The query with one judgment a document; what is in conflict is refused."""
        shared: set[str] = set()
        relevant = [Judgment(cast.document, cast.grade) for cast in casts]
        if len({cast.document for cast in casts}) < len(casts):
            relevant, casts = self._collapse(group, casts, shared)
        if self._has_raters:
            relevant = [
                one if one.id in shared else self._attribute(one, cast)
                for one, cast in zip(relevant, casts, strict=True)
            ]
        query = Query(
            id=group.id,
            query=group.id if group.text is None else group.text,
            relevant=relevant,
            tags=list(group.tags),
            split=group.split,
            source=group.source,
            fields={_NEED: group.need} if group.need else {},
        )
        rows = array("I", [cast.row for cast in casts])
        return Located(query=query, row=group.at, judgment_rows=rows)

    def _attribute(self, judgment: Judgment, cast: Cast) -> Judgment:
        """Name the rater of a judgment that is one rater's."""
        rater = self._rater(cast)
        if not rater or find_flaw(rater, limits.MAX_NAME_BYTES):
            return judgment
        return Judgment(judgment.id, judgment.grade, rater=rater, source=JudgmentSource.IMPORT)

    def _rater(self, cast: Cast) -> str:
        return self._origins[cast.origin].rater

    def _collapse(
        self, group: Group, casts: list[Cast], shared: set[str]
    ) -> tuple[list[Judgment], list[Cast]]:
        """One judgment a document, where votes agree or a rule settles them.

        Those of several raters are `shared`.
        """
        votes: dict[str, list[Cast]] = {}
        for cast in casts:
            votes.setdefault(cast.document, []).append(cast)
        relevant: list[Judgment] = []
        kept: list[Cast] = []
        for document, found in votes.items():
            grade: int | None = found[0].grade
            if len(found) > 1:
                grade = self._agree(group, found, shared)
            if grade is not None:
                relevant.append(Judgment(document, grade))
                kept.append(found[0])
        return relevant, kept

    def _agree(self, group: Group, casts: list[Cast], shared: set[str]) -> int | None:
        """One grade for a document with several votes; None where they are in conflict."""
        ballots: dict[str, Cast] = {}
        for cast in casts:
            first = ballots.setdefault(self._rater(cast), cast)
            if first is cast:
                continue
            if first.grade != cast.grade:
                self._conflict(group, first, cast)
                return None
            self._ledger.duplicates += 1
        if len(ballots) == 1:
            return casts[0].grade
        self.voted_pairs += 1
        shared.add(casts[0].document)
        named = [(rater, cast.grade) for rater, cast in ballots.items()]
        if len({grade for _, grade in named}) == 1:
            return named[0][1]
        self.differing_pairs += 1
        if self._options.consensus is None:
            self._disagreement(list(ballots.values()))
            return None
        self.settled_pairs += 1
        return settle(self._options.consensus, named, self._models)

    def _conflict(self, group: Group, first: Cast, second: Cast) -> None:
        query = (group.id or group.text or "")[:80]
        message = (
            f"document {second.document[:200]!r} of query {query!r} has grade {second.grade} here "
            f"and {first.grade} {self._at(first)}"
        )
        self._refuse_at("conflict", (message, "Keep one of the two."), second)

    def _disagreement(self, casts: list[Cast]) -> None:
        grades = ", ".join(f"{cast.grade} {self._at(cast)}" for cast in casts[:5])
        message = f"raters differ on document {casts[0].document[:200]!r}: {grades}"
        self._refuse_at("raters_differ", (message, _DIFFER_FIX), casts[-1])

    def _refuse_at(self, reason: str, said: tuple[str, str], cast: Cast) -> None:
        self._ledger.conflicts += 1
        self._ledger.refuse(reason, said, self._origins[cast.origin], cast.row, cast.member)

    def _at(self, cast: Cast) -> str:
        origin = self._origins[cast.origin]
        where = origin.place(cast.row, cast.member) or f"row {cast.row}"
        rater = f" by {origin.rater[:80]}" if origin.rater else ""
        return f"in {where} of {origin.file}{rater}"
