"""Gathers rows of several files into queries, and gives these once all is read."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from reteval.contract import limits
from reteval.contract.imports import ImportOptions, OnError, QueryIds, RefusedRow, Texts, Unlabelled
from reteval.contract.testsets import Judgment, Query, TestSetHead
from service.core.ingest.formats.consensus import settle
from service.core.ingest.formats.format import Holds, Opened
from service.core.ingest.formats.grades import Flaw, Grades
from service.core.ingest.formats.group import Group, Votes
from service.core.ingest.formats.ledger import Ledger
from service.core.ingest.formats.rows import Asked, Misfit, Row, Vote
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located
from service.errors import TooLargeError

_MOST_LABELS: Final = 200
_MOST_ORIGINS: Final = 60_000
_MOST_UNKNOWN: Final = 100_000
_SHORT: Final = limits.MAX_ID_BYTES // 4
"""Characters of an id that is within its bound however they are written."""
_NO_TEXT_FIX: Final = (
    "Send the file with the queries, too; or say texts=ids, which lets their ids stand for them: "
    "enough to score rankings made elsewhere, not to ask an endpoint."
)
_DIFFER_FIX: Final = (
    "Say which counts with consensus=median, majority_then_min, mean_rounded or human_last; of a "
    "table, columns=…,rating:… takes one column."
)
_NEED: Final = "information_need"


class Origin(Struct, frozen=True):
    """Where a vote comes from: a file, a rater, and the template of a pointer into the file."""

    file: str
    rater: str
    pointer: str

    def place(self, at: int, member: int) -> str:
        """The JSON Pointer of a record or of a member in it."""
        if not self.pointer:
            return ""
        pointer = self.pointer if member else self.pointer.partition("{at}")[0] + "{at}"
        return pointer.format(at=at - 1, member=member - 1)


class Gathering:
    """Takes rows; `located` gives the queries once, and then the counts are complete."""

    def __init__(self, options: ImportOptions, head: TestSetHead) -> None:
        self.options = options
        self.ledger = Ledger(options.on_error)
        self.labels: Counter[str] = Counter()
        self.unknown: dict[str, int] = {}
        self.asked_ids: list[str] = []
        self.has_texts = False
        self._ordinal = 0
        self._split = ""
        self.textless = self.unjudged = self.voted_pairs = self.differing_pairs = (
            self.settled_pairs
        ) = 0
        self._grades = Grades(options, head.scale.max)
        self._by_id: dict[str, Group] = {}
        self._by_text: dict[str, Group] = {}
        self._groups: list[Group] = []
        self._origins: list[Origin] = []
        self._votes = Votes()
        self._models = frozenset(filter(None, (m.strip() for m in options.models.split(","))))

    def take(self, opened: Opened, holds: Holds, rows: Iterable[Row], split: str = "") -> None:
        """Take the rows of a file; `split` is that of the queries it judges."""
        file, ledger = opened.file.name, self.ledger
        known: dict[tuple[str, str], int] = {}
        judgments_only = holds is Holds.JUDGMENTS
        self._split = split
        for row in rows:
            ledger.read += 1
            if ledger.read > limits.MAX_IMPORT_ROWS:
                raise TooLargeError(
                    f"The upload has over {limits.MAX_IMPORT_ROWS:,} rows: send a test set of this "
                    "size as application/x-ndjson, a query a line."
                )
            rater = row.rater if type(row) is Vote else ""
            origin = known.get((rater, opened.pointer))
            if origin is None:
                self._check_size()
                origin = known[rater, opened.pointer] = len(self._origins)
                self._origins.append(Origin(file, rater, opened.pointer))
            if type(row) is Vote:
                self._vote(row, origin, judgments_only=judgments_only)
            elif type(row) is Asked:
                self._ask(row, origin, holds)
            elif type(row) is Misfit:
                self._ordinal += holds is Holds.QUERIES
                self._refuse(row.reason, (row.message, row.fix), origin, row.at, row.member)

    def _check_size(self) -> None:
        if len(self._origins) >= _MOST_ORIGINS:
            raise TooLargeError(f"The upload has over {_MOST_ORIGINS:,} raters: leave some out.")

    def judged_ids(self) -> set[str]:
        """The ids that judgments name, also those that no query has; before `located`."""
        judged = {group.id for group in self._groups if group.id and group.first >= 0}
        return judged | set(self.unknown)

    def _vote(self, vote: Vote, origin: int, *, judgments_only: bool) -> None:
        name, text, document, raw, at, member, _, need = vote
        label = str(raw)
        if label in self.labels or len(self.labels) < _MOST_LABELS:
            self.labels[label] += 1
        group = self._find(name, text, at, origin, judgments_only=judgments_only)
        if group is None:
            return
        if need and not group.need:
            group.need = need
        if self._split and not group.split:
            group.split = self._split
        grade = self._grades.read(raw)
        if (
            isinstance(grade, int)
            and document
            and document.isprintable()
            and len(document) < _SHORT
        ):
            self._votes.add(group, document, grade, at, member, origin)
        elif isinstance(grade, str):
            self.ledger.unrated += 1
        else:
            self._refuse_vote(vote, grade, origin, group)

    def _refuse_vote(self, vote: Vote, grade: int | Flaw, origin: int, group: Group) -> None:
        flaw = find_flaw(vote.document, limits.MAX_ID_BYTES, blank="Name the document.")
        if isinstance(grade, Flaw):
            reason, said = grade.reason, (grade.message, grade.fix)
        elif flaw is not None:
            reason, said = "bad_document_id", (f"the document's id {flaw[0]}", flaw[1])
        else:  # odd characters, yet none that are refused
            self._votes.add(group, vote.document, grade, vote.at, vote.member, origin)
            return
        self._refuse(reason, said, origin, vote.at, vote.member)

    def _find(
        self, name: str, text: str | None, at: int, origin: int, *, judgments_only: bool
    ) -> Group | None:
        if name and self.options.query_ids is QueryIds.NUMBER:
            name = _plain_number(name)
        group = self._by_id.get(name) if name else self._by_text.get(text or "")
        if group is not None:
            if name and not (text is None or group.text is None or text == group.text):
                message = f"query {name[:200]!r} has another text than in row {group.at}"
                said = (message, "Give each query id one text.")
                self._refuse("another_text", said, origin, at)
                return None
            return group
        if judgments_only and self.has_texts:
            if name in self.unknown or len(self.unknown) < _MOST_UNKNOWN:
                self.unknown[name] = self.unknown.get(name, 0) + 1
            said = (
                f"query {name[:200]!r} is in none of the files with queries",
                "Add the query, or remove its judgments.",
            )
            self._refuse("unknown_query", said, origin, at)
            return None
        self.has_texts = self.has_texts or text is not None
        return self._add(Group(name, text if name else text or "", at, origin))

    def _ask(self, asked: Asked, origin: int, holds: Holds) -> None:
        self._ordinal += 1
        self.has_texts = True
        name = asked.id
        if holds is Holds.QUERIES and name:
            self.asked_ids.append(name)
        if self.options.query_ids is QueryIds.ORDINAL:
            name = str(self._ordinal)
        elif self.options.query_ids is QueryIds.NUMBER:
            name = _plain_number(name)
        before = self._by_id.get(name) if name else self._by_text.get(asked.text)
        if before is None:
            group = Group(name, asked.text, asked.at, origin, asked.need, asked.split)
            group.source, group.tags = asked.source, asked.tags
            self._add(group)
        elif before.text is None:
            before.text = asked.text
        elif before.text != asked.text:
            message = f"query {name[:200]!r} has another text than in row {before.at}"
            said = (message, "Give each query its own id.")
            self._refuse("another_text", said, origin, asked.at)
        else:
            self.ledger.duplicates += holds is Holds.QUERIES
            before.need = before.need or asked.need

    def _add(self, group: Group) -> Group:
        if group.id:
            self._by_id[group.id] = group
        else:
            self._by_text[group.text or ""] = group
        self._groups.append(group)
        return group

    def _refuse(
        self, reason: str, said: tuple[str, str], origin: int, at: int, member: int = 0
    ) -> None:
        if not self.ledger.wants():
            self.ledger.reasons[reason] += 1
            return
        where = self._origins[origin]
        self.ledger.refuse(
            RefusedRow(
                file=where.file,
                row=at,
                pointer=where.place(at, member),
                reason=reason,
                message=said[0],
                fix=said[1],
            )
        )

    def located(self) -> Iterator[Located]:
        """Give the queries in the order in which they were found, forgetting each."""
        for place, group in enumerate(self._groups):
            self._groups[place] = _GIVEN
            if group.text is None and not self._stands_for_text(group):
                continue
            before = self.ledger.refused
            item = self._settle(group)
            if self.ledger.refused > before and self.options.on_error is OnError.REFUSE:
                continue  # that its judgments are in conflict is its only fault
            if item.query.relevant or self.options.unlabelled is Unlabelled.KEEP:
                yield item
            self.unjudged += not item.query.relevant

    def _stands_for_text(self, group: Group) -> bool:
        self.textless += 1
        if self.options.texts is Texts.IDS:
            return True
        message = f"query {group.id[:200]!r} has no text in any file"
        self._refuse("no_text", (message, _NO_TEXT_FIX), group.origin, group.at)
        return False

    def _settle(self, group: Group) -> Located:
        places = list(self._votes.of(group))
        documents = list(map(self._votes.document, places))
        grades: list[int] = [self._votes.grades[n] for n in places]
        if len(set(documents)) != len(documents):
            documents, grades, places = self._collapse(group, documents, places)
        query = Query(
            id=group.id,
            query=group.id if group.text is None else group.text,
            relevant=list(map(Judgment, documents, grades)),
            tags=list(group.tags),
            split=group.split,
            source=group.source,
            fields={_NEED: group.need} if group.need else {},
        )
        rows = array("I", map(self._votes.rows.__getitem__, places))
        return Located(query=query, row=group.at, judgment_rows=rows)

    def _collapse(
        self, group: Group, documents: list[str], places: list[int]
    ) -> tuple[list[str], list[int], list[int]]:
        """One vote a document, where they agree or a rule settles them."""
        votes: dict[str, list[int]] = {}
        for document, n in zip(documents, places, strict=True):
            votes.setdefault(document, []).append(n)
        settled = {
            document: self._votes.grades[found[0]]
            if len(found) == 1
            else self._agree(group, document, found)
            for document, found in votes.items()
        }
        kept = {document: grade for document, grade in settled.items() if grade is not None}
        return list(kept), list(kept.values()), [votes[document][0] for document in kept]

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
            self.ledger.duplicates += 1
        if len(ballots) == 1:
            return grades[places[0]]
        self.voted_pairs += 1
        named = [(rater, grades[n]) for rater, n in ballots.items()]
        if len({grade for _, grade in named}) == 1:
            return named[0][1]
        self.differing_pairs += 1
        if self.options.consensus is None:
            self._disagreement(document, list(ballots.values()))
            return None
        self.settled_pairs += 1
        return settle(self.options.consensus, named, self._models)

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
        self.ledger.conflicts += 1
        votes = self._votes
        self._refuse(reason, said, votes.origins[n], votes.rows[n], votes.member(n))

    def _at(self, n: int) -> str:
        origin = self._origins[self._votes.origins[n]]
        row = self._votes.rows[n]
        where = origin.place(row, self._votes.member(n)) or f"row {row}"
        rater = f" by {origin.rater[:80]}" if origin.rater else ""
        return f"in {where} of {origin.file}{rater}"


_GIVEN: Final = Group("", "", 0, 0)


def _plain_number(name: str) -> str:
    return name.lstrip("0") or "0" if name.isdecimal() else name
