"""From parts to documents: an index of chunks judged by the documents they were cut from."""

from msgspec import Struct

from reteval.contract.endpoints import Endpoint
from worker.search.expressions import Find, compile_expression


class Rollup(Struct, frozen=True, kw_only=True):
    """Where a hit names its document: a field of the hit, or a part of its id, or both."""

    document: Find | None
    cut_at: str | None

    @classmethod
    def compile(cls, endpoint: Endpoint) -> "Rollup | None":
        """Compile what an endpoint declares; None where its hits are documents.

        Raises:
            ValueError: an expression that is no JMESPath, or a field of hits that are bare ids.
        """
        if endpoint.collapse_by is None and endpoint.collapse_at is None:
            return None
        if endpoint.collapse_by is not None and endpoint.ids is not None:
            raise ValueError("`ids` has no hits that `collapse_by` could read; use `collapse_at`")
        return cls(
            document=compile_expression("collapse_by", endpoint.collapse_by),
            cut_at=endpoint.collapse_at,
        )

    def collapse(
        self, ids: list[str], scores: list[float] | None
    ) -> tuple[list[str], list[float] | None]:
        """Keep each document's first part, in order, with its score; ranks close up."""
        first: dict[str, int] = {}
        for rank, found in enumerate(ids):
            first.setdefault(self.name(found), rank)
        kept = None if scores is None else [scores[rank] for rank in first.values()]
        return list(first), kept

    def name(self, found: str) -> str:
        """Return the id of the document that a hit's id names."""
        if self.cut_at is None:
            return found
        return found.rpartition(self.cut_at)[0] or found
