"""What a query is for: scored, expecting nothing, or a variant; and what each must have."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query, TestSetHead
from service.core.ingest.located import Located

_GRADE: Final = attrgetter("grade")


def is_scorable(relevant: Sequence[Judgment], head: TestSetHead) -> bool:
    """Whether a document has grade `relevant_from` or more."""
    return bool(relevant) and max(map(_GRADE, relevant)) >= head.relevant_from


def check_purpose(
    item: Located, relevant: Sequence[Judgment], head: TestSetHead
) -> Iterator[ProblemItem]:
    """Find contradictions between a query's judgments, `expect`, `parent` and `kind`.

    A variant (a query with a `parent`) needs no judgments: its parent's then hold for it.
    """
    query = item.query
    if query.parent or query.kind:
        yield from _check_variant(item, query)
        return
    scorable = is_scorable(relevant, head)
    if query.expect and scorable:
        yield item.problem(
            "expect 'nothing' contradicts its relevant documents",
            f"Remove 'expect', or the documents of grade {head.relevant_from} or more.",
            part="/expect",
        )
    if not (query.expect or scorable or head.allow_unscorable):
        yield item.problem(
            f"no document of grade {head.relevant_from} (relevant_from) or more",
            'Judge a relevant document; mark the query "expect": "nothing"; or set '
            "allow_unscorable to leave such queries out of every mean.",
        )


def _check_variant(item: Located, query: Query) -> Iterator[ProblemItem]:
    if not query.parent:
        yield item.problem("kind without parent", "Name the parent query's id.", part="/kind")
    elif not query.kind:
        fix = 'Say what was changed, as in "typo".'
        yield item.problem("parent without kind", fix, part="/parent")
    if query.expect:
        fix = "A variant has its parent's answers: remove 'expect' or 'parent' and 'kind'."
        yield item.problem("a variant cannot expect nothing", fix, part="/expect")
