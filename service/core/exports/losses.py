"""Finds what of a test set a format would leave out: of this set, not of sets in general."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Final

from reteval.contract.exports import Loss
from reteval.contract.testsets import Judgment, Query, TestSet, TestSetHead
from service.core.cells import is_formula
from service.core.exports.layout import HEAD, LABELS, judgments, relevant_ids
from service.core.exports.spelling import flatten, is_breaking

_DERIVED: Final = re.compile(r"q_[0-9a-f]{12}")
"""An id made of the text: made anew, it is the same."""
_PLAIN: Final = LABELS - {Loss.PROVENANCE}
"""Fields of a query, by their names."""
_PROVENANCE: Final = Judgment.__struct_fields__[2:]


_USUAL: Final = TestSetHead()


async def find_losses(
    test_set: TestSet, wanted: frozenset[Loss], chunks: AsyncIterator[list[Query]]
) -> tuple[Loss, ...]:
    """Return which of the losses there are in a set, in the order of the enum."""
    found = {name for name in wanted & HEAD if getattr(test_set, name) != getattr(_USUAL, name)}
    survey = Survey(wanted - HEAD, test_set)
    if survey.open:
        async for queries in chunks:
            await asyncio.to_thread(survey.take, queries)
    return tuple(loss for loss in Loss if loss in found | survey.found)


class Survey:
    """Looks through queries for what would be lost, until everything was found."""

    def __init__(self, wanted: Iterable[Loss], test_set: TestSet) -> None:
        self.open = set(wanted)
        self.found: set[Loss] = set()
        self._test_set = test_set
        self._texts: set[int] = set()

    def take(self, queries: Sequence[Query]) -> None:
        """Look through the next queries."""
        for query in queries:
            new = {loss for loss in self.open if self._shows(loss, query)}
            self.found |= new
            self.open -= new

    def _shows(self, loss: Loss, query: Query) -> Any:
        if loss is Loss.SAME_TEXTS:
            return self._is_repeated(query.query)
        if loss is Loss.UNSCORABLE:
            return not relevant_ids(query, self._test_set)
        return getattr(query, loss) if loss in _PLAIN else _SIGNS[loss](query)

    def _is_repeated(self, text: str) -> bool:
        size = len(self._texts)
        self._texts.add(hash(text))
        return len(self._texts) == size


def _names(query: Query) -> list[str]:
    return [query.id, *(str(judgment.id) for judgment in judgments(query))]


_SIGNS: Final[dict[Loss, Callable[[Query], Any]]] = {
    Loss.IDS: lambda query: not _DERIVED.fullmatch(query.id),
    Loss.TEXTS: lambda query: query.query,
    Loss.GRADES: lambda query: any(judgment.grade != 1 for judgment in judgments(query)),
    Loss.UNJUDGED: lambda query: not judgments(query),
    Loss.PROVENANCE: lambda query: any(
        getattr(judgment, name) for judgment in judgments(query) for name in _PROVENANCE
    ),
    Loss.WHITE_SPACE: lambda query: query.query != flatten(query.query),
    Loss.ENCODED_IDS: lambda query: any(map(is_breaking, _names(query))),
    Loss.FORMULAS: lambda query: is_formula(query.query) or any(map(is_formula, _names(query))),
}
