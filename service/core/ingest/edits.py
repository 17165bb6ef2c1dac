"""A change set, taken apart by query, and put into effect on a set that passes by."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from msgspec import UNSET, Struct, structs

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, TestSetHead
from reteval.contract.versions import JudgmentChange
from service.core.ingest.judgments import judge
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located
from service.core.ingest.normal import identify
from service.core.ingest.problems import Problems
from service.core.ingest.provenance import find_flaws

_EXCERPT = 200


class Edit(Struct, frozen=True, kw_only=True, gc=False):
    """A change of a judgment and where it was found, as `Located` says of a query."""

    change: JudgmentChange
    pointer: str = ""
    row: int | None = None

    @property
    def document(self) -> str:
        """The id of the document as it is stored."""
        return str(self.change.id)

    def problem(self, message: str, fix: str, *, part: str) -> ProblemItem:
        """Tell what is wrong with the member `part`; a table has rows and no members."""
        if self.row is not None:
            return ProblemItem(
                pointer="", message=f"row {self.row}: {message}", fix=fix, row=self.row
            )
        return ProblemItem(pointer=self.pointer + part, message=message, fix=fix)


class Kept(Located, frozen=True, kw_only=True, gc=False):
    """A stored query, or one with changed judgments: what is wrong is the doing of a change."""

    @property
    def place(self) -> str:
        """The query's place, which is in no body."""
        return f"query {self.query.id[:_EXCERPT]!r}"

    def problem(
        self, message: str, fix: str, *, part: str = "", judgment: int | None = None
    ) -> ProblemItem:
        """Tell what is wrong with the query as it would be, at the change that makes it so."""
        _ = part, judgment
        text = f"{self.place}: {message}"
        return ProblemItem(pointer=self.pointer, message=text, fix=fix, row=self.row)


class Edits:
    """The changes of a set by the query they are about."""

    def __init__(self, head: TestSetHead) -> None:
        self.problems = Problems()
        self.passed = 0
        self._head = head
        self._queries: dict[str, Located] = {}
        self._removed: dict[str, str] = {}
        self._judgments: dict[str, dict[str, Edit]] = {}

    def put(self, item: Located) -> None:
        """Have a query added, or put in the place of the one with its id."""
        query_id = identify(item.query)
        known = self._queries.setdefault(query_id, item)
        if known is not item:
            message = f"query id {query_id[:_EXCERPT]!r} is already used by {known.place}"
            self.problems.add([item.problem(message, "Send each query once.", part="/id")])

    def remove(self, query_id: str, pointer: str) -> None:
        """Have a query removed."""
        message = ""
        if query_id in self._queries:
            message = f"query {query_id[:_EXCERPT]!r} is also to be added or replaced"
        elif self._removed.setdefault(query_id, pointer) != pointer:
            message = f"query {query_id[:_EXCERPT]!r} is named twice"
        if message:
            fix = "Name it once, in 'queries' or in 'remove'."
            self.problems.add([ProblemItem(pointer=pointer, message=message, fix=fix)])

    def rate(self, edit: Edit) -> None:
        """Have a judgment added, changed or removed; the same again changes nothing."""
        found = list(self._check(edit))
        self.problems.add(found)
        if not found:
            edits = self._judgments.setdefault(edit.change.query_id, {})
            edits.setdefault(edit.document, edit)

    async def apply(self, chunks: AsyncIterator[list[Query]]) -> AsyncGenerator[Located]:
        """Yield the queries of a set as they are to be, new ones last.

        Raises:
            InvalidError: at the end, where a change is about what is not there.
        """
        self.problems.settle()
        queries, judgments = dict(self._queries), dict(self._judgments)
        removed = dict(self._removed)
        async for chunk in chunks:
            self.passed += len(chunk)
            for stored in chunk:
                if removed.pop(stored.id, None) is not None:
                    continue
                item = queries.pop(stored.id, None) or Kept(query=stored)
                edits = judgments.pop(stored.id, {})
                orphan = self._find_orphan(item)
                if orphan:
                    self.problems.add([orphan])
                else:
                    yield self._edit(item, edits)
        for query_id, item in queries.items():
            yield self._edit(item, judgments.pop(query_id, {}))
        self.problems.add(self._check_missing(removed, judgments))
        self.problems.settle()

    def _edit(self, item: Located, edits: dict[str, Edit]) -> Located:
        if not edits:
            return item
        judged = judge(item, self._head)
        if judged.problems:
            return item  # they are told where the query is taken
        held = {str(judgment.id): judgment for judgment in judged.relevant}
        for document, edit in edits.items():
            self.problems.add(_put(held, document, edit))
        query = structs.replace(
            item.query, relevant=list(held.values()), relevant_ids=UNSET, grades=UNSET
        )
        if not isinstance(item, Kept):
            return Kept(query=query, pointer=item.pointer)
        first = next(iter(edits.values()))
        return Kept(query=query, pointer=first.pointer, row=first.row)

    def _find_orphan(self, item: Located) -> ProblemItem | None:
        """Tell whether a stored variant would lose the query that it was made from."""
        if not isinstance(item, Kept) or not item.query.parent:
            return None
        message = f"{item.place} is a variant of it"
        pointer = self._removed.get(item.query.parent)
        if pointer is not None:
            return ProblemItem(pointer=pointer, message=message, fix="Remove its variants, too.")
        sent = self._queries.get(item.query.parent)
        if sent is not None and sent.query.parent:
            return sent.problem(message, "Leave it a clean query.", part="/parent")
        return None

    def _check(self, edit: Edit) -> Iterator[ProblemItem]:
        change, most = edit.change, self._head.scale.max
        if change.grade is not None and not limits.MIN_GRADE <= change.grade <= most:
            message = f"grade {change.grade} is outside {limits.MIN_GRADE} to scale.max {most}"
            yield edit.problem(message, "Correct the grade.", part="/grade")
        flaw = find_flaw(edit.document, limits.MAX_ID_BYTES, blank="Give the document an id.")
        if flaw:
            yield edit.problem(f"document id {flaw[0]}", flaw[1], part="/id")
        for part, message, fix in find_flaws(change.rater, change.at):
            yield edit.problem(message, fix, part=f"/{part}")
        if change.query_id in self._removed:
            message = f"query {change.query_id[:_EXCERPT]!r} is to be removed"
            yield edit.problem(message, "Leave the change out.", part="/query_id")
        known = self._judgments.get(change.query_id, {}).get(edit.document)
        if known is not None and known.change.grade != change.grade:
            message = (
                f"document {edit.document[:_EXCERPT]!r} of query {change.query_id[:_EXCERPT]!r} "
                f"has grade {_show(change.grade)} here and {_show(known.change.grade)} before"
            )
            yield edit.problem(message, "Keep one of the two.", part="/grade")

    def _check_missing(
        self, removed: dict[str, str], judgments: dict[str, dict[str, Edit]]
    ) -> Iterator[ProblemItem]:
        fix = "Take the id from GET /v1/test-sets/{test_set}/queries."
        for query_id, pointer in removed.items():
            message = f"there is no query {query_id[:_EXCERPT]!r}"
            yield ProblemItem(pointer=pointer, message=message, fix=fix)
        for query_id, edits in judgments.items():
            for edit in edits.values():
                message = f"there is no query {query_id[:_EXCERPT]!r}"
                yield edit.problem(message, fix, part="/query_id")


def _put(held: dict[str, Judgment], document: str, edit: Edit) -> Iterator[ProblemItem]:
    change = edit.change
    if change.grade is not None:
        held[document] = Judgment(document, change.grade, change.rater, change.at, change.source)
    elif held.pop(document, None) is None:
        message = f"document {document[:_EXCERPT]!r} is not judged for this query"
        yield edit.problem(message, "There is nothing to remove: leave it out.", part="/id")


def _show(grade: int | None) -> str:
    return "none" if grade is None else str(grade)
