"""What both clients offer to evaluate a function: ask it every query, have its rankings scored."""

import asyncio
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, cast

import msgspec
from msgspec import Struct

from reteval import _searching
from reteval._runs import AsyncRuns, Runs
from reteval._searching import AsyncSearch, OnProgress, Search, Tally
from reteval._test_sets import AsyncSets, Sets
from reteval.contract.rankings import Ranking, RankingsHead
from reteval.contract.results import Results
from reteval.contract.runs import Progress, RunStatus
from reteval.contract.testsets import Query, TestSet


class Evaluation(Struct, frozen=True, kw_only=True):
    """A function that is asked query by query, as a meter shows it."""

    progress: Progress
    id: str = "evaluate"
    status: RunStatus = RunStatus.RUNNING


class Evaluations(Runs, Sets):
    """A sender that can evaluate a function."""

    def evaluate(
        self,
        search: Search,
        test_set: str | TestSet,
        *,
        k: int = 10,
        concurrency: int = 8,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> Results:
        """Evaluate a function of your own: `search(query, k)` returns hits, best first.

        A hit is a document id, a pair of id and score, or a dict with `id` and perhaps `score`.
        The function is called from `concurrency` threads; what it raises counts as a failed
        query. `options` are fields of `RankingsHead`, such as `metrics` and `label`.
        `on_progress` is called with each `Progress`; without it, a terminal shows a bar.

        >>> def search(query, k):
        ...     return ["doc-2", "doc-1"][:k]
        >>> report = client.evaluate(search, test_set.id, metrics=["mrr"])
        >>> report.metrics["mrr"].mean
        0.75
        """
        if _searching.is_async(search):
            raise TypeError("search is a coroutine function; AsyncClient.evaluate calls those")
        head = head_for(test_set, k, options)
        queries = [query for query in self.queries(head.test_set) if asked(query, head)]
        with shown(on_progress) as show, ThreadPoolExecutor(concurrency) as pool:
            tally = Tally(len(queries), show)
            answers = [pool.submit(_searching.ask, search, query, k) for query in queries]
            try:
                for answer in as_completed(answers):
                    tally.add(answer.result())
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        run = self.score_rankings(head, [answer.result() for answer in answers])
        self.wait(run.id, timeout_s=timeout_s)
        return self.results(run.id)


class AsyncEvaluations(AsyncRuns, AsyncSets):
    """`Evaluations` for asyncio."""

    async def evaluate(
        self,
        search: AsyncSearch | Search,
        test_set: str | TestSet,
        *,
        k: int = 10,
        concurrency: int = 8,
        timeout_s: float | None = None,
        on_progress: OnProgress | None = None,
        **options: Any,
    ) -> Results:
        """Evaluate a function, as `Client.evaluate` does; a plain one is called in threads."""
        head = head_for(test_set, k, options)
        lanes = asyncio.Semaphore(concurrency)
        queries = [query async for query in self.queries(head.test_set) if asked(query, head)]
        with shown(on_progress) as show:
            tally = Tally(len(queries), show)

            async def rank(query: Query) -> Ranking:
                async with lanes:
                    if _searching.is_async(search):
                        ranking = await _searching.ask_async(search, query, k)
                    else:
                        ranking = await asyncio.to_thread(
                            _searching.ask, cast("Search", search), query, k
                        )
                tally.add(ranking)
                return ranking

            rankings = await asyncio.gather(*(rank(query) for query in queries))
        run = await self.score_rankings(head, rankings)
        await self.wait(run.id, timeout_s=timeout_s)
        return await self.results(run.id)


def head_for(test_set: str | TestSet, k: int, options: dict[str, Any]) -> RankingsHead:
    """Return the head of the upload that a function's answers go with."""
    name = test_set.id if isinstance(test_set, TestSet) else test_set
    return msgspec.convert({"test_set": name, "depth": k, **options}, RankingsHead)


def asked(query: Query, head: RankingsHead) -> bool:
    """Whether a query is of the split that is scored, if one is."""
    return head.split in ("", query.split)


@contextmanager
def shown(on_progress: OnProgress | None) -> Iterator[OnProgress]:
    """Yield what shows how far it is: the function given, a bar on a terminal, or nothing."""
    if on_progress is not None or not sys.stderr.isatty():
        yield on_progress or _ignore
        return
    from reteval.cli.progress import meter_for  # noqa: PLC0415 - of the command line, if seen

    meter = meter_for(sys.stderr, time.monotonic)
    try:
        yield lambda progress: meter.show(Evaluation(progress=progress))
    finally:
        meter.close()


def _ignore(progress: Progress) -> None:
    """Show nothing."""
