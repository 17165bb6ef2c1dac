"""What both clients offer about judgings: pool, judge, review, freeze."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from reteval import _judging_calls as _calls
from reteval._async_sender import AsyncSender
from reteval._judging_calls import Asked, Described, Tried
from reteval._requests import Call
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval.contract.judge_prompts import PromptCatalogue
from reteval.contract.judgings import FreezeRequest, Judging, JudgingJob
from reteval.contract.votes import HumanVote, JudgedPair, ReviewRow, VotesAnswer


def _job_of(job: JudgingJob, wait: int | None) -> Call[JudgingJob]:
    return _calls.get_job(job.judging, job.id, wait)


class Judgings(Sender):
    """A sender that knows the routes of judgings."""

    def judge_prompts(self) -> PromptCatalogue:
        """Return the prompts that come with the service, with their hashes."""
        return self._exchange(_calls.get_prompts())

    def create_judging(self, request: Asked) -> Judging:
        """Make a judging of a set's queries, and of the endpoints and runs to pool."""
        return self._exchange(_calls.post_judging(request))

    def judgings(self, *, limit: int | None = None) -> Rows[Judging]:
        """Iterate over judgings, newest first; `limit` is the size of a page."""
        return self._rows(_calls.get_judgings(limit))

    def judging(self, judging_id: str, *, wait: int | None = None) -> Judging:
        """Return a judging; with `wait`, held so many seconds while a job is at work on it."""
        return self._exchange(_calls.get_judging(judging_id, wait))

    def wait_judging(
        self,
        judging_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Judging], object] | None = None,
    ) -> Judging:
        """Wait until no job is at work on a judging. `WaitTimeoutError` after `timeout_s`."""
        return self._await_end(partial(_calls.get_judging, judging_id), timeout_s, on_progress)

    def pool_judging(self, judging_id: str) -> Judging:
        """Begin to search for all queries; asked again, only for those without an answer."""
        return self._exchange(_calls.post_pool(judging_id))

    def estimate_judge(
        self, judging_id: str, request: Described, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Return what a judge would come to; nothing is sent to it."""
        return self._see_through(
            partial(_calls.post_estimate, judging_id, request), _job_of, timeout_s
        )

    def try_judge(
        self, judging_id: str, request: Tried, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Have one pair judged, and return all that was seen of it; nothing is recorded."""
        return self._see_through(partial(_calls.post_try, judging_id, request), _job_of, timeout_s)

    def score_judge(
        self, judging_id: str, request: Described, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Tempt a judge with probes made of the pool, and return its scorecard."""
        return self._see_through(
            partial(_calls.post_scorecard, judging_id, request), _job_of, timeout_s
        )

    def measure_judging(self, judging_id: str, *, timeout_s: float | None = None) -> JudgingJob:
        """Return how far the last judge agrees with people, and people with each other."""
        return self._see_through(partial(_calls.post_measure, judging_id), _job_of, timeout_s)

    def judging_job(self, judging_id: str, job_id: str, *, wait: int | None = None) -> JudgingJob:
        """Return an estimate, a trial, a scorecard or a measurement begun before, by its id."""
        return self._exchange(_calls.get_job(judging_id, job_id, wait))

    def judge(self, judging_id: str, request: Described) -> Judging:
        """Begin to have the pool judged; asked again, it goes on where it was."""
        return self._exchange(_calls.post_judge(judging_id, request))

    def cancel_judging(self, judging_id: str) -> Judging:
        """Ask the job that is at work to stop; `ConflictError` if none is."""
        return self._exchange(_calls.post_cancel(judging_id))

    def judged_pairs(
        self, judging_id: str, *, status: str | None = None, limit: int | None = None
    ) -> Rows[JudgedPair]:
        """Iterate over the pairs of a pool with all votes; `limit` is the size of a page."""
        return self._rows(_calls.get_pairs(judging_id, status, limit))

    def review(
        self, judging_id: str, *, suggest: bool = False, audit: str = "", limit: int | None = None
    ) -> Rows[ReviewRow]:
        """Iterate over what people are to look at; with `suggest`, what a model says, too.

        With `audit="queries"` it is whole queries drawn at random, by which metrics are corrected.
        """
        return self._rows(_calls.get_review(judging_id, audit, suggest=suggest, limit=limit))

    def export_review(self, judging_id: str, *, audit: str = "") -> bytes:
        """Return what people are to look at as CSV, with an empty column `grade` to fill in."""
        return self._exchange(_calls.get_review_table(judging_id, audit))

    def vote(
        self,
        judging_id: str,
        votes: Sequence[HumanVote | Mapping[str, Any]] | bytes,
        *,
        rater: str = "",
    ) -> VotesAnswer:
        """Write votes of people: structs or dicts, or the table of `export_review`, filled in."""
        if isinstance(votes, bytes):
            return self._exchange(_calls.post_table(judging_id, votes, rater))
        return self._exchange(_calls.post_votes(judging_id, votes, rater))

    def freeze(
        self, judging_id: str, request: FreezeRequest | Mapping[str, Any] | None = None
    ) -> Judging:
        """Make a test set of a judging; `frozen` of the answer is it."""
        return self._exchange(_calls.post_freeze(judging_id, request))

    def delete_judging(self, judging_id: str) -> None:
        """Delete a judging with its pool and votes; the set it became stays."""
        self._exchange(_calls.delete_judging(judging_id))


class AsyncJudgings(AsyncSender):
    """`Judgings` for asyncio."""

    async def judge_prompts(self) -> PromptCatalogue:
        """Return the prompts that come with the service, with their hashes."""
        return await self._exchange(_calls.get_prompts())

    async def create_judging(self, request: Asked) -> Judging:
        """Make a judging of a set's queries, and of the endpoints and runs to pool."""
        return await self._exchange(_calls.post_judging(request))

    def judgings(self, *, limit: int | None = None) -> AsyncRows[Judging]:
        """Iterate over judgings, newest first; `limit` is the size of a page."""
        return self._rows(_calls.get_judgings(limit))

    async def judging(self, judging_id: str, *, wait: int | None = None) -> Judging:
        """Return a judging; with `wait`, held so many seconds while a job is at work on it."""
        return await self._exchange(_calls.get_judging(judging_id, wait))

    async def wait_judging(
        self,
        judging_id: str,
        *,
        timeout_s: float | None = None,
        on_progress: Callable[[Judging], object] | None = None,
    ) -> Judging:
        """Wait until no job is at work on a judging. `WaitTimeoutError` after `timeout_s`."""
        return await self._await_end(
            partial(_calls.get_judging, judging_id), timeout_s, on_progress
        )

    async def pool_judging(self, judging_id: str) -> Judging:
        """Begin to search for all queries; asked again, only for those without an answer."""
        return await self._exchange(_calls.post_pool(judging_id))

    async def estimate_judge(
        self, judging_id: str, request: Described, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Return what a judge would come to; nothing is sent to it."""
        return await self._see_through(
            partial(_calls.post_estimate, judging_id, request), _job_of, timeout_s
        )

    async def try_judge(
        self, judging_id: str, request: Tried, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Have one pair judged, and return all that was seen of it; nothing is recorded."""
        return await self._see_through(
            partial(_calls.post_try, judging_id, request), _job_of, timeout_s
        )

    async def score_judge(
        self, judging_id: str, request: Described, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Tempt a judge with probes made of the pool, and return its scorecard."""
        return await self._see_through(
            partial(_calls.post_scorecard, judging_id, request), _job_of, timeout_s
        )

    async def measure_judging(
        self, judging_id: str, *, timeout_s: float | None = None
    ) -> JudgingJob:
        """Return how far the last judge agrees with people, and people with each other."""
        return await self._see_through(partial(_calls.post_measure, judging_id), _job_of, timeout_s)

    async def judging_job(
        self, judging_id: str, job_id: str, *, wait: int | None = None
    ) -> JudgingJob:
        """Return an estimate, a trial, a scorecard or a measurement begun before, by its id."""
        return await self._exchange(_calls.get_job(judging_id, job_id, wait))

    async def judge(self, judging_id: str, request: Described) -> Judging:
        """Begin to have the pool judged; asked again, it goes on where it was."""
        return await self._exchange(_calls.post_judge(judging_id, request))

    async def cancel_judging(self, judging_id: str) -> Judging:
        """Ask the job that is at work to stop; `ConflictError` if none is."""
        return await self._exchange(_calls.post_cancel(judging_id))

    def judged_pairs(
        self, judging_id: str, *, status: str | None = None, limit: int | None = None
    ) -> AsyncRows[JudgedPair]:
        """Iterate over the pairs of a pool with all votes; `limit` is the size of a page."""
        return self._rows(_calls.get_pairs(judging_id, status, limit))

    def review(
        self, judging_id: str, *, suggest: bool = False, audit: str = "", limit: int | None = None
    ) -> AsyncRows[ReviewRow]:
        """Iterate over what people are to look at; with `suggest`, what a model says, too.

        With `audit="queries"` it is whole queries drawn at random, by which metrics are corrected.
        """
        return self._rows(_calls.get_review(judging_id, audit, suggest=suggest, limit=limit))

    async def export_review(self, judging_id: str, *, audit: str = "") -> bytes:
        """Return what people are to look at as CSV, with an empty column `grade` to fill in."""
        return await self._exchange(_calls.get_review_table(judging_id, audit))

    async def vote(
        self,
        judging_id: str,
        votes: Sequence[HumanVote | Mapping[str, Any]] | bytes,
        *,
        rater: str = "",
    ) -> VotesAnswer:
        """Write votes of people: structs or dicts, or the table of `export_review`, filled in."""
        if isinstance(votes, bytes):
            return await self._exchange(_calls.post_table(judging_id, votes, rater))
        return await self._exchange(_calls.post_votes(judging_id, votes, rater))

    async def freeze(
        self, judging_id: str, request: FreezeRequest | Mapping[str, Any] | None = None
    ) -> Judging:
        """Make a test set of a judging; `frozen` of the answer is it."""
        return await self._exchange(_calls.post_freeze(judging_id, request))

    async def delete_judging(self, judging_id: str) -> None:
        """Delete a judging with its pool and votes; the set it became stays."""
        await self._exchange(_calls.delete_judging(judging_id))
