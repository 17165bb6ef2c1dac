"""Requests about judgings, one function a route."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from reteval._requests import Call, delete_at, get_from, post_to, segment
from reteval.contract.judge_prompts import PromptCatalogue
from reteval.contract.judges import JudgeRequest, TryRequest
from reteval.contract.judgings import (
    FreezeRequest,
    Judging,
    JudgingJob,
    JudgingPage,
    JudgingRequest,
)
from reteval.contract.votes import (
    HumanVote,
    JudgedPairPage,
    ReviewPage,
    VotesAnswer,
)

CSV: Final = "text/csv"

Asked = JudgingRequest | Mapping[str, Any]
Described = JudgeRequest | Mapping[str, Any]
Tried = TryRequest | Mapping[str, Any]


def post_judging(request: Asked) -> Call[Judging]:
    """Make a judging."""
    return post_to("/v1/judgings", Judging, request, keyed=True)


def get_judgings(limit: int | None = None) -> Call[JudgingPage]:
    """List judgings, newest first."""
    return get_from("/v1/judgings", JudgingPage, limit=limit)


def get_judging(judging_id: str, wait: int | None = None) -> Call[Judging]:
    """Read a judging; with `wait`, held so many seconds or until no job is at work on it."""
    return get_from(_path(judging_id), Judging, wait=wait)


def delete_judging(judging_id: str) -> Call[None]:
    """Delete a judging with its votes."""
    return delete_at(_path(judging_id))


def post_pool(judging_id: str) -> Call[Judging]:
    """Begin to pool."""
    return post_to(_path(judging_id, "pool"), Judging, keyed=True)


def post_judge(judging_id: str, request: Described) -> Call[Judging]:
    """Begin to judge."""
    return post_to(_path(judging_id, "judge"), Judging, request, keyed=True)


def post_cancel(judging_id: str) -> Call[Judging]:
    """Ask the job that is at work to stop."""
    return post_to(_path(judging_id, "cancel"), Judging)


def post_freeze(
    judging_id: str, request: FreezeRequest | Mapping[str, Any] | None
) -> Call[Judging]:
    """Make a test set of a judging."""
    return post_to(_path(judging_id, "freeze"), Judging, request or {}, keyed=True)


def post_estimate(judging_id: str, request: Described, wait: int | None = None) -> Call[JudgingJob]:
    """Have it counted what a judge would come to."""
    return post_to(_path(judging_id, "estimate"), JudgingJob, request, wait=wait, keyed=True)


def post_try(judging_id: str, request: Tried, wait: int | None = None) -> Call[JudgingJob]:
    """Have one pair judged."""
    return post_to(_path(judging_id, "try"), JudgingJob, request, wait=wait, keyed=True)


def post_measure(judging_id: str, wait: int | None = None) -> Call[JudgingJob]:
    """Have agreement measured."""
    return post_to(_path(judging_id, "measure"), JudgingJob, wait=wait, keyed=True)


def post_scorecard(
    judging_id: str, request: Described, wait: int | None = None
) -> Call[JudgingJob]:
    """Have a judge tempted with probes."""
    return post_to(_path(judging_id, "scorecard"), JudgingJob, request, wait=wait, keyed=True)


def get_job(judging_id: str, job_id: str, wait: int | None = None) -> Call[JudgingJob]:
    """Read a job; with `wait`, held so many seconds or to its end."""
    return get_from(_path(judging_id, "jobs", job_id), JudgingJob, wait=wait)


def get_pairs(
    judging_id: str, status: str | None = None, limit: int | None = None
) -> Call[JudgedPairPage]:
    """List pairs with their votes."""
    return get_from(_path(judging_id, "pairs"), JudgedPairPage, status=status, limit=limit)


def get_review(
    judging_id: str, audit: str, *, suggest: bool = False, limit: int | None = None
) -> Call[ReviewPage]:
    """List what people are to look at: the queue, or the queries that were drawn."""
    shown = "true" if suggest else None
    path = _path(judging_id, "review")
    return get_from(path, ReviewPage, suggest=shown, audit=audit or None, limit=limit)


def get_review_table(judging_id: str, audit: str) -> Call[bytes]:
    """Read the whole queue, or the queries that were drawn, as CSV."""
    path = _path(judging_id, "review")
    return get_from(path, bytes, accept="*/*", format="csv", audit=audit or None)


def post_votes(
    judging_id: str, votes: Sequence[HumanVote | Mapping[str, Any]], rater: str
) -> Call[VotesAnswer]:
    """Write votes of people."""
    document = {"votes": list(votes), "rater": rater}
    return post_to(_path(judging_id, "votes"), VotesAnswer, document, keyed=True)


def post_table(judging_id: str, table: bytes, rater: str) -> Call[VotesAnswer]:
    """Write votes of people, from the table of the queue with grades filled in."""
    call = post_to(_path(judging_id, "votes"), VotesAnswer, None, keyed=True)
    params = {"rater": rater} if rater else {}
    return structs.replace(call, content=table, headers={"content-type": CSV}, params=params)


def get_prompts() -> Call[PromptCatalogue]:
    """List the prompts that come with the service."""
    return get_from("/v1/judge-prompts", PromptCatalogue)


def _path(judging_id: str, *steps: str) -> str:
    return "".join(("/v1/judgings", *(f"/{segment(step)}" for step in (judging_id, *steps))))
