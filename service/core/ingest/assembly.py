"""A test set in the making: what must be remembered of earlier queries to take the next."""

import hashlib
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from reteval.contract import limits
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead, TestSetStats
from service.core.ingest.canon import ContentHash
from service.core.ingest.findings import Findings
from service.core.ingest.judgments import Judged, judge
from service.core.ingest.labels import check_head, check_query
from service.core.ingest.located import Located, describe
from service.core.ingest.problems import Problems
from service.core.ingest.purpose import check_purpose
from service.core.ingest.tally import Tally
from service.core.ingest.texts import Texts

_DERIVED_HEX: Final = 12
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
        self._index: dict[str, int] = {}
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

    def take(self, item: Located) -> Query:
        """Check the next query and give it as stored: with an id, judgments as `relevant`."""
        judged = judge(item, self._head)
        query = _normalise(item.query, judged)
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
        first = self._index.setdefault(query.id, index)
        if first != index:
            found.append(_repeated(item, query.id, describe(self._places[first])))
        if query.parent:
            self._variants[index] = _Variant(query.parent, item.pointer, item.row)
        return found

    def _check_parents(self) -> Iterator[ProblemItem]:
        for index, variant in self._variants.items():
            parent = self._index.get(variant.parent)
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
        self._compare(query)

    def _compare(self, query: Query) -> None:
        if query.parent:
            return  # a variant is meant to be close to its parent
        index = len(self._places) - 1
        code = DiagnosticCode.SAME_TEXT
        first = self._texts.find_same(query.query, index)
        if first is None:
            code = DiagnosticCode.NEAR_IDENTICAL_TEXTS
            first = self._texts.find_near(query.query, index)
        if first is not None:
            pair = {"first": first, "second": index}
            places = {name: describe(self._places[n]) for name, n in pair.items()}
            self._findings.add(code, places | _show(query))


def identify(query: Query) -> str:
    """Return the id of a query as sent: its own, or one made of its text."""
    return query.id or f"q_{hashlib.sha256(query.query.encode()).hexdigest()[:_DERIVED_HEX]}"


def _show(query: Query) -> dict[str, str]:
    return {"query_id": query.id, "text": query.query[:_EXCERPT]}


def _normalise(sent: Query, judged: Judged) -> Query:
    return Query(
        query=sent.query,
        id=identify(sent),
        relevant=judged.relevant,
        tags=list(dict.fromkeys(sent.tags)) if sent.tags else [],
        split=sent.split,
        expect=sent.expect,
        cluster_id=sent.cluster_id,
        source=sent.source,
        parent=sent.parent,
        kind=sent.kind,
        fields=sent.fields,
    )


def _repeated(item: Located, query_id: str, first: str) -> ProblemItem:
    if item.query.id:
        message = f"query id {query_id[:_EXCERPT]!r} is already used by {first}"
        return item.problem(message, "Give each query its own id.", part="/id")
    message = f"the text of this query without id is already that of {first}"
    fix = "Merge the judgments of the two, or give each an id."
    return item.problem(message, fix, part="/query")
