"""How many hits one request asks for, and where the next one goes on."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.endpoints import Endpoint, Paging, PagingKind
from worker.search.mapping import Page
from worker.search.placeholders import Values

_START: Final = {PagingKind.OFFSET: 0, PagingKind.PAGE: 1, PagingKind.CURSOR: None}


class Pager(Struct, frozen=True, kw_only=True):
    """The pages of one search: `k` hits each, until `wanted` are there."""

    k: int
    wanted: int
    paging: Paging | None

    @classmethod
    def plan(cls, endpoint: Endpoint, depth: int) -> "Pager":
        """Plan for the documents that a run looks at, parts of documents counted in."""
        wanted = depth * endpoint.overfetch
        paging = endpoint.paging
        return cls(
            k=wanted if paging is None else min(wanted, paging.size), wanted=wanted, paging=paging
        )

    def begin(self) -> Values:
        """Return what the first request needs to be told."""
        if self.paging is None:
            return {}
        start = self.paging.start
        return {self.paging.kind: _START[self.paging.kind] if start is None else start}

    def go_on(self, place: Values, pages: Sequence[Page]) -> Values | None:
        """Return what the next request needs to be told; None after the last page."""
        paging = self.paging
        if paging is None or len(pages) >= paging.max_pages:
            return None
        if sum(len(page.ids) for page in pages) >= self.wanted:
            return None
        last = pages[-1]
        if paging.kind is PagingKind.CURSOR:
            again = last.cursor in (None, "", place[paging.kind])
            return None if again or not last.ids else {paging.kind: last.cursor}
        if len(last.ids) < self.k:
            return None
        step = self.k if paging.kind is PagingKind.OFFSET else 1
        before = place[paging.kind]
        return {paging.kind: int(before) + step if isinstance(before, int | str) else step}
