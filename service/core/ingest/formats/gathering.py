"""Gathers rows of several files into queries, and gives these once all is read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from reteval.contract import limits
from reteval.contract.imports import ImportOptions, OnError, QueryIds, Texts, Unlabelled
from reteval.contract.testsets import TestSetHead
from service.core.ingest.formats.format import Holds, Opened
from service.core.ingest.formats.grades import Flaw, Grades
from service.core.ingest.formats.group import Group, Votes
from service.core.ingest.formats.ledger import Ledger, Origin
from service.core.ingest.formats.rows import Asked, Misfit, Raw, Row, Vote
from service.core.ingest.formats.settling import Settlement
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
        self.unknown: dict[str, int] = {}
        self.asked_ids: list[str] = []
        self.has_texts = False
        self._ordinal = 0
        self._split = ""
        self.textless = self.unjudged = 0
        self._grades = Grades(options, head.scale.max)
        self._by_id: dict[str, Group] = {}
        self._by_text: dict[str, Group] = {}
        self._groups: list[Group] = []
        self._origins: list[Origin] = []
        self._votes = Votes()
        self.settlement = Settlement(self._votes, (), self.ledger, options)

    def take(self, opened: Opened, holds: Holds, rows: Iterable[Row], split: str = "") -> None:
        """Take the rows of a file; `split` is that of the queries it judges."""
        file, ledger = opened.file.name, self.ledger
        known: dict[tuple[str, str], int] = {}
        judgments_only = holds is Holds.JUDGMENTS
        self._split = split
        by_id, grades = self._by_id, self._grades.known
        plain = self.options.query_ids is not QueryIds.NUMBER and not split
        seen: Counter[Raw] = Counter()
        for row in rows:
            ledger.read += 1
            if ledger.read > self._most:
                raise TooLargeError(_MANY_ROWS.format(self._most))
            rater = row.rater if type(row) is Vote else ""
            origin = known.get((rater, opened.pointer))
            if origin is None:
                origin = known[rater, opened.pointer] = self._enter(file, rater, opened.pointer)
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
                self._votes.add(group, document, grade, at, member, origin)
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

    def judged_ids(self) -> set[str]:
        """The ids that judgments name, also those that no query has; before `located`."""
        judged = {group.id for group in self._groups if group.id and group.first >= 0}
        return judged | set(self.unknown)

    def _vote(self, vote: Vote, origin: int, *, judgments_only: bool) -> None:
        name, text, document, raw, at, member, _, need = vote
        self._count_label(raw)
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
        self.ledger.refuse(reason, said, self._origins[origin], at, member)

    def located(self) -> Iterator[Located]:
        """Give the queries in the order in which they were found, forgetting each."""
        self.settlement = Settlement(self._votes, self._origins, self.ledger, self.options)
        for place, group in enumerate(self._groups):
            self._groups[place] = _GIVEN
            if group.text is None and not self._stands_for_text(group):
                continue
            before = self.ledger.refused
            item = self.settlement.settle(group)
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


_GIVEN: Final = Group("", "", 0, 0)


def _plain_number(name: str) -> str:
    return name.lstrip("0") or "0" if name.isdecimal() else name
