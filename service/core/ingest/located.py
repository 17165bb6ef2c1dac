"""A query together with the place in the body where it was found, so that errors can name it."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from msgspec import Struct

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query


class Located(Struct, frozen=True, kw_only=True, gc=False):
    """A query as sent, and where.

    `pointer` is the JSON Pointer of the query inside its document ("" when the query is the
    whole line of a stream). `row` is the one-based line of a stream or a table.
    `judgment_rows` is None for JSON; for a table it holds the line of each judgment, in the file
    that holds the judgments, and pointers are left empty since a table has none.
    """

    query: Query
    pointer: str = ""
    row: int | None = None
    judgment_rows: Sequence[int] | None = None

    @property
    def place(self) -> str | int:
        """The query's place: a pointer, or a row; `describe` puts it in words."""
        return self.pointer if self.row is None else self.row

    def problem(
        self, message: str, fix: str, *, part: str = "", judgment: int | None = None
    ) -> ProblemItem:
        """Tell what is wrong with the query, its member `part`, or its n-th judgment."""
        if self.judgment_rows is None:
            return ProblemItem(pointer=self.pointer + part, message=message, fix=fix, row=self.row)
        row = self.row if judgment is None else self.judgment_rows[judgment]
        return ProblemItem(pointer="", message=message, fix=fix, row=row)


class Batches(AsyncIterator[Located]):
    """What a reader finds, one by one; `batches` has those that it finds together as they are."""

    def __init__(self, batches: AsyncGenerator[list[Located], None]) -> None:
        self.batches = batches
        self._items = (item async for batch in batches for item in batch)

    async def __anext__(self) -> Located:
        """The next query."""
        return await anext(self._items)


def describe(place: str | int) -> str:
    """Put a place in words."""
    return f"row {place}" if isinstance(place, int) else place
