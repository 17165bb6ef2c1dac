"""From exchanges with an endpoint to the report of a probe. No store, no clock, no network."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, Protocol

import jmespath
import msgspec
from msgspec import Struct

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import Outcome
from reteval.contract.probes import (
    SHOWN_HITS,
    Lookup,
    ProbeAnswer,
    ProbeReport,
    SentRequest,
    Suggestion,
)
from worker.diagnosis.ids.advice import suggest
from worker.diagnosis.ids.candidates import find_candidates
from worker.diagnosis.ids.diagnose import keep_filled
from worker.diagnosis.ids.fields import (
    DEFAULT_LISTS,
    Asked,
    describe_lists,
    suggest_fields,
    suggest_mapping,
)
from worker.diagnosis.ids.lists import IdLists, list_ids, measure
from worker.diagnosis.ids.profile import profile
from worker.diagnosis.ids.search import find_rules
from worker.diagnosis.replies import Failure, explain_failures

MAX_SUGGESTIONS: Final = 5
_SHOWN_IDS: Final = 20
_MAX_KEYS: Final = 40
_MAX_DEPTH: Final = 5
_MAX_TEXT: Final = 200
_MAX_CONTAINERS: Final = 200_000


class Scrub(Protocol):
    """Takes secrets out of texts."""

    def clean(self, text: str) -> str:
        """Return a text without secrets and control characters, cut."""

    def mask(self, text: str) -> str:
        """Return a text as it is but for the secrets."""


class Exchange(Struct, frozen=True, kw_only=True):
    """A query with what is judged for it, what was sent, and what came back."""

    query_id: str
    query: str
    judged: tuple[str, ...]
    request: SentRequest | None
    outcome: Outcome
    content_type: str
    body: bytes


def report_probe(
    exchanges: Sequence[Exchange],
    endpoint: Endpoint,
    *,
    scrub: Scrub,
    lookup: Lookup | None = None,
) -> ProbeReport:
    """Show every exchange, and say what is wrong and what would mend it."""
    asked = [_ask(exchange) for exchange in exchanges]
    lists = IdLists(
        query_ids=[one.query_id for one in asked if one.judged],
        judged=[one.judged for one in asked if one.judged],
        returned=[one.ids for one in asked if one.judged],
    )
    report = ProbeReport(
        answers=tuple(
            _show(exchange, one.answer, endpoint, scrub)
            for exchange, one in zip(exchanges, asked, strict=True)
        ),
        overlap=measure(lists).show(),
        problems=tuple(_explain(exchanges)),
        suggestions=tuple(_suggest(asked, lists, exchanges, endpoint)[:MAX_SUGGESTIONS]),
        lists=describe_lists(asked),
        returned=profile(list_ids(one.ids for one in asked)),
        judged=profile(list_ids(one.judged for one in asked)),
        lookup=lookup,
    )
    # Ids, samples and names of fields come from the endpoint too, wherever they stand.
    return msgspec.convert(_mask(msgspec.to_builtins(report), scrub), ProbeReport)


def _mask(value: Any, scrub: Scrub) -> Any:
    if isinstance(value, str):
        return scrub.mask(value)
    if isinstance(value, dict):
        return {scrub.mask(name): _mask(inner, scrub) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mask(inner, scrub) for inner in value]
    return value


def _explain(exchanges: Sequence[Exchange]) -> list[str]:
    """Explain the exchanges that brought no valid answer, each kind once."""
    failures = [
        Failure(
            code=exchange.outcome.code,
            detail=exchange.outcome.detail,
            http_status=exchange.outcome.http_status,
            content_type=exchange.content_type,
            body=exchange.body,
        )
        for exchange in exchanges
        if not exchange.outcome.status.answered
    ]
    return explain_failures(failures)


def _ask(exchange: Exchange) -> Asked:
    return Asked(
        query_id=exchange.query_id,
        judged=exchange.judged,
        answer=_decode(exchange.body),
        ids=exchange.outcome.ids,
    )


def _decode(body: bytes) -> Any:
    """Return the JSON of a body; None where it is none, or more than is worth looking at."""
    if body.count(b"[") + body.count(b"{") > _MAX_CONTAINERS:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _suggest(
    asked: Sequence[Asked], lists: IdLists, exchanges: Sequence[Exchange], endpoint: Endpoint
) -> list[Suggestion]:
    """Return changes that would make ids meet, best first; without judgments, likely mappings."""
    if any(one.judged for one in asked):
        found = [suggest(rule) for rule in find_rules(keep_filled(lists))]
        found += suggest_fields(asked, endpoint)
        found.sort(key=_merit)
        if found:
            return found
    readable = any(exchange.outcome.ids for exchange in exchanges)
    return [] if readable else suggest_mapping(asked, endpoint)


def _merit(suggestion: Suggestion) -> tuple[bool, float, int]:
    after = suggestion.after
    met = after.overlap_id if isinstance(after, msgspec.Struct) else 0.0
    return (
        not suggestion.proven,
        -(met or 0.0),
        len(msgspec.json.encode(suggestion.patch)),
    )


def _show(exchange: Exchange, answer: Any, endpoint: Endpoint, scrub: Scrub) -> ProbeAnswer:
    outcome = exchange.outcome
    hits = _find_hits(answer, endpoint)[:SHOWN_HITS]
    judged = set(exchange.judged)
    shown = exchange.judged[:_SHOWN_IDS]
    return ProbeAnswer(
        query_id=exchange.query_id,
        query=exchange.query,
        request=exchange.request,
        status=outcome.status,
        code=outcome.code,
        detail=outcome.detail,
        http_status=outcome.http_status,
        content_type=scrub.clean(exchange.content_type),
        latency_ms=outcome.latency_ms,
        returned=outcome.returned,
        hits=tuple(_trim(hit, scrub, 0) for hit in hits),
        answer="" if hits else scrub.clean(exchange.body[:4_096].decode(errors="replace"))[:1_000],
        ids=tuple(outcome.ids[:_SHOWN_IDS]),
        scores=None if outcome.scores is None else tuple(outcome.scores[:_SHOWN_IDS]),
        judged=shown,
        judged_returned=tuple(dict.fromkeys(doc for doc in outcome.ids if doc in judged)),
    )


def _find_hits(answer: Any, endpoint: Endpoint) -> list[Any]:
    """Return the raw hits: where they are declared to be, by default, or the likeliest list."""
    declared = endpoint.hits or endpoint.ids
    if declared is not None:
        try:
            found = jmespath.search(declared, answer)
        except ValueError:  # JMESPathError is one; a slice of step 0 is a bare one
            found = None
    elif isinstance(answer, dict):
        found = next((answer[name] for name in DEFAULT_LISTS if _is_list(answer.get(name))), None)
    else:
        found = answer
    if _is_list(found):
        return list(found)
    return next(chain((one.entries for one in find_candidates(answer)), [[]]))


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _trim(value: Any, scrub: Scrub, depth: int) -> Any:
    """Return a hit small enough to be shown: long texts cut, deep and wide parts left out."""
    if isinstance(value, str):
        text = scrub.clean(value)
        return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
    if isinstance(value, dict):
        if depth >= _MAX_DEPTH:
            return "…"
        kept = list(value.items())[:_MAX_KEYS]
        return {scrub.clean(name): _trim(inner, scrub, depth + 1) for name, inner in kept}
    if isinstance(value, list):
        if depth >= _MAX_DEPTH:
            return "…"
        kept_values = [_trim(inner, scrub, depth + 1) for inner in value[:SHOWN_HITS]]
        return [*kept_values, "…"] if len(value) > SHOWN_HITS else kept_values
    return value
