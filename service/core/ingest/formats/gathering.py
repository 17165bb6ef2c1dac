"""Gathers rows of several files into queries, and gives these once all is read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from reteval.contract import limits
from reteval.contract.imports import ImportOptions, OnError, QueryIds, Texts, Unlabelled
from reteval.contract.testsets import TestSetHead
from service.core.ingest.formats.format import Holds, Opened
from service.core.ingest.formats.grades import Flaw, Grades
from service.core.ingest.formats.group import Group, Groups, Numbers
from service.core.ingest.formats.ledger import Ledger, Origin
from service.core.ingest.formats.rows import Asked, Misfit, Raw, Row, Vote
from service.core.ingest.formats.scratch import Scratch
from service.core.ingest.formats.settling import Settlement
from service.core.ingest.formats.votes import Cast, Votes
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located
from service.errors import TooLargeError

_MANY_ROWS: Final = (
    "The upload has over {:,} rows: send a test set of this size as "
    "application/x-ndjson, a query a line."
)
_MOST_LABELS: Final = 200
_MOST_ORIGINS: Final = 60_000
_MOST_UNKNOWN: Final = 100_000
_SHORT: Final = limits.MAX_ID_BYTES // 4
"""Characters of an id that is within its bound however they are written."""
_NO_TEXT_FIX: Final = (
    "Send the file with the queries, too; or say texts=ids, which lets their ids stand for them: "
    "enough to score rankings made elsewhere, not to ask an endpoint."
)


class Gathering:
    """Takes rows; `located` gives the queries once, and then the counts are complete."""

    def __init__(
        self, options: ImportOptions, head: TestSetHead, *, most: int = limits.MAX_IMPORT_ROWS
    ) -> None:
        self._most = most
        self.options = options
        self.ledger = Ledger(options.on_error)
        self.labels: Counter[str] = Counter()
        self._unknown: set[str] = set()
        self.has_texts = False
        self._ordinal = 0
        self._split = ""
        self.textless = self.unjudged = 0
        self._grades = Grades(options, head.scale.max)
        self._origins: list[Origin] = []
        self.scratch = Scratch()
        self._groups = Groups(self.scratch)
        self._votes = Votes(self.scratch)
        self.settlement = Settlement((), self.ledger, options)

    def take(self, opened: Opened, holds: Holds, rows: Iterable[Row], split: str = "") -> None:
        """Take the rows of a file; `split` is that of the queries it judges."""
        file, ledger = opened.file.name, self.ledger
        known: dict[tuple[str, str], int] = {}
        judgments_only = holds is Holds.JUDGMENTS
        self._split = split
        by_id, grades, add = self._groups.recent, self._grades.known, self._votes.add
        plain = self.options.query_ids is not QueryIds.NUMBER and not split
        seen: Counter[Raw] = Counter()
        last, origin = None, -1
        for read, row in enumerate(rows, ledger.read + 1):
            ledger.read = read
            if read > self._most:
                raise TooLargeError(_MANY_ROWS.format(self._most))
            rater = row.rater if type(row) is Vote else ""
            if origin < 0 or rater != last or opened.pointer:
                last, place = rater, (rater, opened.pointer)
                if place not in known:
                    known[place] = self._enter(file, *place)
                origin = known[place]
            if type(row) is not Vote:
                self._take_other(row, origin, holds)
                continue
            name, text, document, raw, at, member, _, need = row
            group, grade = by_id.get(name), grades.get(raw)
            if (
                plain
                and group is not None
                and (text is None or text == group.text)
                and type(grade) is int
                and document.isprintable()
                and 0 < len(document) < _SHORT
                and not need
            ):
                seen[raw] += 1
                add(group.n, Cast(document, grade, at, member, origin))
            else:
                self._vote(row, origin, judgments_only=judgments_only)
        for raw, count in seen.items():
            self._count_label(raw, count)

    def _take_other(self, row: Row, origin: int, holds: Holds) -> None:
        if type(row) is Asked:
            self._ask(row, origin, holds)
        elif type(row) is Misfit:
            self._ordinal += holds is Holds.QUERIES
            self._refuse(row.reason, (row.message, row.fix), origin, row.at, row.member)

    def _enter(self, file: str, rater: str, pointer: str) -> int:
        if len(self._origins) >= _MOST_ORIGINS:
            raise TooLargeError(f"The upload has over {_MOST_ORIGINS:,} raters: leave some out.")
        self._origins.append(Origin(file, rater, pointer))
        return len(self._origins) - 1

    def _count_label(self, raw: Raw, count: int = 1) -> None:
        label = str(raw)
        if label in self.labels or len(self.labels) < _MOST_LABELS:
            self.labels[label] += count

    def count_numbers(self) -> Numbers | None:
        """How the ids of queries count beside those that judgments name; if all are numbers."""
        self._votes.write()
        return self._groups.count_numbers(self._unknown)

    def _vote(self, vote: Vote, origin: int, *, judgments_only: bool) -> None:
        name, text, document, raw, at, member, _, need = vote
        self._count_label(raw)
        group = self._find(name, text, at, origin, judgments_only=judgments_only)
        if group is None:
            return
        if (need and not group.need) or (self._split and not group.split):
            group.need, group.split = group.need or need, group.split or self._split
            self._groups.save(group)
        grade = self._grades.read(raw)
        if (
            isinstance(grade, int)
            and document
            and document.isprintable()
            and len(document) < _SHORT
        ):
            self._votes.add(group.n, Cast(document, grade, at, member, origin))
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
            cast = Cast(vote.document, grade, vote.at, vote.member, origin)
            self._votes.add(group.n, cast)
            return
        self._refuse(reason, said, origin, vote.at, vote.member)

    def _find(
        self, name: str, text: str | None, at: int, origin: int, *, judgments_only: bool
    ) -> Group | None:
        if name and self.options.query_ids is QueryIds.NUMBER:
            name = _plain_number(name)
        group = self._groups.find(name, text or "")
        if group is not None:
            if name and not (text is None or group.text is None or text == group.text):
                message = f"query {name[:200]!r} has another text than in row {group.at}"
                said = (message, "Give each query id one text.")
                self._refuse("another_text", said, origin, at)
                return None
            return group
        if judgments_only and self.has_texts:
            if len(self._unknown) < _MOST_UNKNOWN:
                self._unknown.add(name)
            said = (
                f"query {name[:200]!r} is in none of the files with queries",
                "Add the query, or remove its judgments.",
            )
            self._refuse("unknown_query", said, origin, at)
            return None
        self.has_texts = self.has_texts or text is not None
        group = Group(id=name, text=text if name else text or "", at=at, origin=origin)
        self._groups.add(group)
        return group

    def _ask(self, asked: Asked, origin: int, holds: Holds) -> None:
        self._ordinal += 1
        self.has_texts = True
        name = asked.id
        if self.options.query_ids is QueryIds.ORDINAL:
            name = str(self._ordinal)
        elif self.options.query_ids is QueryIds.NUMBER:
            name = _plain_number(name)
        before = self._groups.find(name, asked.text)
        if before is None:
            group = Group(
                id=name,
                text=asked.text,
                at=asked.at,
                origin=origin,
                need=asked.need,
                split=asked.split,
                source=asked.source,
                tags=asked.tags,
                asked=holds is Holds.QUERIES and bool(name),
            )
            self._groups.add(group)
        elif before.text is not None and before.text != asked.text:
            message = f"query {name[:200]!r} has another text than in row {before.at}"
            said = (message, "Give each query its own id.")
            self._refuse("another_text", said, origin, asked.at)
        else:
            self._ask_again(before, asked, holds)

    def _ask_again(self, before: Group, asked: Asked, holds: Holds) -> None:
        if before.text is None:
            before.text = asked.text
        else:
            self.ledger.duplicates += holds is Holds.QUERIES
            before.need = before.need or asked.need
        self._groups.save(before)

    def _refuse(
        self, reason: str, said: tuple[str, str], origin: int, at: int, member: int = 0
    ) -> None:
        self.ledger.refuse(reason, said, self._origins[origin], at, member)

    def located(self) -> Iterator[Located]:
        """Give the queries in the order in which they were found."""
        self.settlement = Settlement(self._origins, self.ledger, self.options)
        for group, casts in self._grouped():
            if group.text is None and not self._stands_for_text(group, len(casts)):
                continue
            before = self.ledger.refused
            item = self.settlement.settle(group, casts)
            if self.ledger.refused > before and self.options.on_error is OnError.REFUSE:
                continue  # that its judgments are in conflict is its only fault
            if item.query.relevant or self.options.unlabelled is Unlabelled.KEEP:
                yield item
            self.unjudged += not item.query.relevant

    def _grouped(self) -> Iterator[tuple[Group, list[Cast]]]:
        votes = self._votes.grouped()
        number, casts = next(votes, _NONE)
        for group in self._groups:
            if group.n == number:
                yield group, casts
                number, casts = next(votes, _NONE)
            else:
                yield group, []

    def _stands_for_text(self, group: Group, rows: int) -> bool:
        self.textless += 1
        if self.options.texts is Texts.IDS:
            return True
        message = f"query {group.id[:200]!r} has no text in any file"
        if rows:  # else all of them were refused for what is wrong with them
            origin = self._origins[group.origin]
            self.ledger.refuse("no_text", (message, _NO_TEXT_FIX), origin, group.at, rows=rows)
        return False


_NONE: Final[tuple[int, list[Cast]]] = (-1, [])


def _plain_number(name: str) -> str:
    return name.lstrip("0") or "0" if name.isdecimal() else name
