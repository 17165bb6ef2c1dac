"""Lists of the service as iterators: read page by page, or made a table of in one go."""

from collections.abc import AsyncIterator, Container, Iterator, Sequence
from typing import Any, Generic, TypeVar

from reteval.contract.outcomes import OutcomeRow
from reteval.contract.testsets import Query
from reteval.contract.trec import write_qrels, write_run
from reteval.views.frames import build_frame, columns_of, flatten

T = TypeVar("T")


class Rows(Iterator[T]):
    """The rows of a list; the next page is asked for when it is needed.

    The methods read all that has not been read yet.

    >>> rows = client.query_rows(run.id, sort="mrr")
    >>> next(rows).query
    'first question'
    >>> rows.to_dicts()[0]["metrics.mrr"]
    1.0
    """

    def __init__(self, rows: Iterator[T]) -> None:
        self._rows = rows

    def __next__(self) -> T:
        return next(self._rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return flat dicts: what is nested has names such as `metrics.mrr`."""
        return [flatten(row) for row in self]

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame, a row each, of `library`: pandas if it is there, else polars."""
        return build_frame(columns_of(self.to_dicts()), library)


class Outcomes(Rows[OutcomeRow]):
    """What each request of a run brought."""

    def to_trec_run(self, *, depth: int | None = None, tag: str = "reteval") -> str:
        """Return the rankings of answered clean queries as a TREC run.

        The score is `depth` - rank + 1, the endpoint's order; without `depth`, that of the
        longest ranking. `Client.export(run, "trec")` has it with the judgments that go with it.

        >>> print(client.outcomes(run.id).to_trec_run(tag="mine"), end="")
        q1 Q0 doc-2 1 2 mine
        q1 Q0 doc-1 2 1 mine
        q2 Q0 doc-2 1 2 mine
        q2 Q0 doc-1 2 1 mine
        """
        return write_rankings(list(self), depth, tag)


class Queries(Rows[Query]):
    """The queries of a test set."""

    def to_qrels(self, only: Container[str] | None = None) -> str:
        """Return the judgments as TREC qrels; `only` of these query ids, such as the answered.

        >>> print(client.queries(test_set.id).to_qrels(), end="")
        q1 0 doc-1 1
        q2 0 doc-2 1
        """
        return write_qrels(query for query in self if only is None or query.id in only)


class AsyncRows(AsyncIterator[T], Generic[T]):
    """`Rows` for asyncio."""

    def __init__(self, rows: AsyncIterator[T]) -> None:
        self._rows = rows

    async def __anext__(self) -> T:
        return await anext(self._rows)

    async def to_dicts(self) -> list[dict[str, Any]]:
        """Return flat dicts, as `Rows.to_dicts` does."""
        return Rows(iter([row async for row in self])).to_dicts()

    async def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame, as `Rows.to_frame` does."""
        return Rows(iter([row async for row in self])).to_frame(library)


class AsyncOutcomes(AsyncRows[OutcomeRow]):
    """`Outcomes` for asyncio."""

    async def to_trec_run(self, *, depth: int | None = None, tag: str = "reteval") -> str:
        """Return a TREC run, as `Outcomes.to_trec_run` does."""
        return write_rankings([row async for row in self], depth, tag)


class AsyncQueries(AsyncRows[Query]):
    """`Queries` for asyncio."""

    async def to_qrels(self, only: Container[str] | None = None) -> str:
        """Return TREC qrels, as `Queries.to_qrels` does."""
        return Queries(iter([query async for query in self])).to_qrels(only)


def write_rankings(rows: Sequence[OutcomeRow], depth: int | None, tag: str) -> str:
    """Write what was answered to clean queries, asked once."""
    clean = [row for row in rows if not row.kind]
    longest = max((len(row.outcome.ids) for row in clean), default=0)
    return write_run(clean, depth=longest if depth is None else depth, tag=tag)
