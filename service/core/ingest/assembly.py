"""A test set in the making: what must be remembered of earlier queries to take the next."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract import limits
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead, TestSetStats
from service.core.ingest.bulk import Plain, find_plain
from service.core.ingest.canon import ContentHash
from service.core.ingest.findings import Findings
from service.core.ingest.firsts import Firsts
from service.core.ingest.judgments import Judged, judge
from service.core.ingest.labels import check_head, check_query
from service.core.ingest.located import Located, describe
from service.core.ingest.normal import normalise
from service.core.ingest.problems import Problems
from service.core.ingest.purpose import check_purpose
from service.core.ingest.tally import Tally
from service.core.ingest.texts import Texts

_EXCERPT: Final = 200


class _Variant(Struct):
    # Its parent may come later, so it is looked up when all queries are known.
    parent: str
    pointer: str
    row: int | None


class Assembly:
    """Takes queries in order and sums them up. Keeps ids and digests, never texts."""

    def __init__(self, head: TestSetHead) -> None:
        self.problems = Problems()
        self.problems.add(check_head(head))
        self._head = head
        self._index: Firsts[str] = Firsts()
        self._places: list[str | int] = []
        self._variants: dict[int, _Variant] = {}
        self._hash = ContentHash(head)
        self._tally = Tally(head)
        self._texts = Texts()
        self._findings = Findings()

    @property
    def stopped(self) -> bool:
        """Whether reading on would tell nothing more."""
        return self.problems.full or len(self._places) > limits.MAX_QUERIES

    def take_all(self, items: Sequence[Located]) -> list[Query]:
        """Take the next queries, up to where reading on would tell nothing more.

        Queries none of which is odd are taken in one sweep, to the same effect.
        """
        plain = find_plain(items, self._head) if items and not self.problems else None
        if plain and self._register_all(items, plain):
            self._count_all(plain)
            return plain.queries
        taken = []
        for item in items:
            taken.append(self.take(item))
            if self.problems and self.stopped:
                break
        return taken

    def take(self, item: Located) -> Query:
        """Check the next query and give it as stored: with an id, judgments as `relevant`."""
        judged = judge(item, self._head)
        query = normalise(item.query, judged.relevant)
        if found := self._check(item, query, judged):
            self.problems.add(found)
        if not self.problems:
            self._count(item, query, judged)
        return query

    def settle(self) -> None:
        """End the set.

        Raises:
            InvalidError: a rule was broken.
        """
        if not self._places and not self.problems:
            item = ProblemItem(
                pointer="/queries", message="the test set has no queries", fix="Send at least one."
            )
            self.problems.add([item])
        if not self.stopped:
            self.problems.add(self._check_parents())
        self.problems.settle()

    @property
    def digest(self) -> str:
        """The content hash of the queries taken."""
        return self._hash.digest()

    @property
    def stats(self) -> TestSetStats:
        """The counts of the queries taken."""
        return self._tally.stats()

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is odd about the queries taken, though no rule is broken."""
        return self._findings.warnings(self.stats.scorable)

    def _check(self, item: Located, query: Query, judged: Judged) -> list[ProblemItem]:
        found = self._register(item, query)
        found += check_query(item)
        found += judged.problems or check_purpose(item, judged.relevant, self._head)
        return found

    def _register(self, item: Located, query: Query) -> list[ProblemItem]:
        found = []
        index = len(self._places)
        self._places.append(item.place)
        if index >= limits.MAX_QUERIES:
            message = f"over {limits.MAX_QUERIES:,} queries"
            found.append(item.problem(message, "Send a sample, or split the set in two."))
        first = self._index.add(query.id, index)
        if first != index:
            found.append(_repeated(item, query.id, describe(self._places[first])))
        if query.parent:
            self._variants[index] = _Variant(query.parent, item.pointer, item.row)
        return found

    def _check_parents(self) -> Iterator[ProblemItem]:
        for index, variant in self._variants.items():
            parent = self._index.find(variant.parent)
            if parent is not None and parent not in self._variants:
                continue
            reason = "names no query of the set"
            if parent is not None:
                reason = "names the variant itself" if parent == index else "names a variant"
            yield ProblemItem(
                pointer=f"{variant.pointer}/parent",
                message=f"parent {variant.parent[:_EXCERPT]!r} {reason}",
                fix="Name the id of the clean query that this one was made from.",
                row=variant.row,
            )

    def _count(self, item: Located, query: Query, judged: Judged) -> None:
        self._hash.add(query, judged.relevant)
        use = self._tally.add(query, judged.relevant)
        if query.tags:
            self.problems.add(self._tally.check_tags(item))
        if use == "unscorable":
            self._findings.add(DiagnosticCode.UNSCORABLE, _show(query))
        if judged.repeated:
            again = {"query_id": query.id, "document": judged.repeated.id}
            times = judged.repeats
            self._findings.add(DiagnosticCode.REPEAT_COLLAPSED, again, times=times)
        self._compare(query, len(self._places) - 1)

    def _register_all(self, items: Sequence[Located], plain: Plain) -> bool:
        # Queries that are sound by themselves; False if they may not be beside those before.
        index = len(self._places)
        if not (
            index + len(items) <= limits.MAX_QUERIES
            and self._tally.has_room(plain)
            and self._index.add_all([query.id for query in plain.queries], index)
        ):
            return False
        self._places += [item.place for item in items]
        return True

    def _count_all(self, plain: Plain) -> None:
        self._hash.add_all(plain)
        self._tally.add_all(plain)
        index = len(self._places) - len(plain.queries)
        if not self._texts.add_all([query.query for query in plain.queries], index):
            for number, query in enumerate(plain.queries, index):
                self._compare(query, number)

    def _compare(self, query: Query, index: int) -> None:
        if query.parent:
            return  # a variant is meant to be close to its parent
        code = DiagnosticCode.SAME_TEXT
        first = self._texts.find_same(query.query, index)
        if first is None:
            code = DiagnosticCode.NEAR_IDENTICAL_TEXTS
            first = self._texts.find_near(query.query, index)
        if first is not None:
            pair = {"first": first, "second": index}
            places = {name: describe(self._places[n]) for name, n in pair.items()}
            self._findings.add(code, places | _show(query))


def _show(query: Query) -> dict[str, str]:
    return {"query_id": query.id, "text": query.query[:_EXCERPT]}


def _repeated(item: Located, query_id: str, first: str) -> ProblemItem:
    if item.query.id:
        message = f"query id {query_id[:_EXCERPT]!r} is already used by {first}"
        return item.problem(message, "Give each query its own id.", part="/id")
    message = f"the text of this query without id is already that of {first}"
    fix = "Merge the judgments of the two, or give each an id."
    return item.problem(message, fix, part="/query")
