"""Judging by people: one pair at a time, by keyboard, and no model's word before their own."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.votes import UNRATEABLE, HumanVote, JudgedPair
from service.api.bodies import AnyRequest
from service.core.backend import Backend
from service.core.judging import judgings, reviewing
from service.errors import InvalidError
from service.pages.forms import read_fields, read_form
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows, takes


class ReviewFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a person is in the queue, who they are, and on what they voted last."""

    cursor: str = ""
    rater: str = ""
    audit: reviewing.Audit = "pairs"
    query_id: str = ""
    doc_id: str = ""


@shows(
    "/judgings/{judging_id:str}/review",
    "showReview",
    scope=Scope.TEST_SETS_READ,
    query=ReviewFields,
)
async def show_review(
    request: AnyRequest, backend: Deployed, judging_id: FromPath[str]
) -> Response[bytes]:
    """Show the pair that waits longest, and what a model said of the one before."""
    sent = read_fields(request, ReviewFields)
    judging = await judgings.get_judging(backend, judging_id)
    page = await reviewing.page_review(
        backend, judging_id, audit=sent.audit, suggest=False, cursor=sent.cursor, limit=1
    )
    before = await _find_before(backend, judging_id, sent)
    return await show(
        request,
        "review.html",
        judging=judging,
        row=page.items[0] if page.items else None,
        later=page.next_cursor or "",
        sent=sent,
        before=before,
        suggestion=reviewing.suggest(before.votes) if before else None,
        own=before.votes[-1] if before else None,
        unrateable=UNRATEABLE,
    )


@takes(
    "/judgings/{judging_id:str}/review",
    "voteFromPage",
    scope=Scope.TEST_SETS_WRITE,
    event=AuditEvent.JUDGING_VOTED,
)
async def vote(request: AnyRequest, backend: Deployed, judging_id: FromPath[str]) -> Response[Any]:
    """Write a vote, and lead to the next pair."""
    fields = await read_form(request)
    said = HumanVote(
        query_id=fields.get("query_id", ""),
        doc_id=fields.get("doc_id", ""),
        grade=_read_grade(fields.get("grade", "")),
        explanation=fields.get("explanation", "")[:2_000],
    )
    rater = fields.get("rater", "").strip()
    await reviewing.add_votes(backend, judging_id, [said], rater=rater)
    kept = {name: fields.get(name, "") for name in ("cursor", "rater", "audit")}
    going = {name: value for name, value in kept.items() if value}
    return lead_to(
        f"/judgings/{judging_id}/review", **going, query_id=said.query_id, doc_id=said.doc_id
    )


async def _find_before(backend: Backend, judging_id: str, sent: ReviewFields) -> JudgedPair | None:
    if not sent.query_id:
        return None
    pair = await reviewing.get_pair(backend, judging_id, sent.query_id, sent.doc_id)
    # Whoever has not voted on a pair is not told what a model says of it.
    return pair if pair and pair.votes and pair.votes[-1].kind == "human" else None


def _read_grade(text: str) -> Any:
    if text == UNRATEABLE:
        return UNRATEABLE
    if text.isdecimal() and len(text) <= 3:  # noqa: PLR2004 - digits of any scale there is
        return int(text)
    raise InvalidError(f"{text[:20]!r} is no grade; choose one of the buttons.")


HANDLERS: Final = (show_review, vote)
