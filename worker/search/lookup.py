"""Asks an endpoint, one id at a time, which documents it knows."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from multidict import CIMultiDict
from yarl import URL

from reteval.contract.endpoints import Endpoint
from reteval.contract.probes import LOOKED_UP, Lookup
from reteval.contract.runs import Limits
from service.egress import EgressError, Policy
from worker.search.dialling import Resolve
from worker.search.failures import CallError
from worker.search.pacing import Pacer
from worker.search.template import Prepared
from worker.search.transport import Transport

PLACE: Final = "{{id}}"
_ABSENT: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_DOTS: Final = frozenset({".", ".."})
"""Ids to which paths give another meaning."""
_SHOWN: Final = 5
_LANES: Final = 4


async def look_up(
    endpoint: Endpoint,
    ids: Sequence[str],
    *,
    limits: Limits,
    policy: Policy,
    stopping: Callable[[], bool] = lambda: False,
    resolver: Resolve | None = None,
    pacer: Pacer | None = None,
) -> Lookup:
    """Ask for at most 200 ids, evenly spread: status 200 is known, 404 and 410 are not.

    Any other answer, and none, counts as failed: it says nothing about the document. The
    endpoint's headers go along, hence only to where its searches go.
    """
    chosen = spread(ids, LOOKED_UP)
    known: dict[str, bool | None] = {}
    try:
        target = policy.check_url(endpoint.lookup or "")
        if target.origin != policy.check_url(endpoint.url).origin:
            return _sum_up(chosen, known)
    except EgressError:
        return _sum_up(chosen, known)
    waiting = iter(chosen)
    pacer = pacer or Pacer(limits.rate_per_s)

    async def ask(transport: Transport) -> None:
        for doc_id in waiting:
            if stopping():
                return
            await pacer.take_turn()
            if doc_id in _DOTS:
                continue
            known[doc_id] = await _knows(transport, _prepare(target.url, doc_id, endpoint.headers))

    lanes = min(_LANES, limits.concurrency)
    async with Transport(target, limits=limits, policy=policy, resolve=resolver) as transport:
        await asyncio.gather(*(ask(transport) for _ in range(lanes)))
    return _sum_up(chosen, known)


def spread(ids: Sequence[str], most: int) -> list[str]:
    """Return at most so many ids, evenly spread over all."""
    if len(ids) <= most:
        return list(ids)
    return [ids[at * len(ids) // most] for at in range(most)]


def _prepare(template: str, doc_id: str, headers: Mapping[str, str]) -> Prepared:
    lines = CIMultiDict({"Accept": "application/json", "Accept-Encoding": "identity"})
    lines.update(headers)
    url = template.replace(PLACE, quote(doc_id, safe=""))
    return Prepared("GET", URL(url, encoded=True), lines, None)


async def _knows(transport: Transport, request: Prepared) -> bool | None:
    try:
        reply = await transport.send(request)
    except CallError:
        return None
    if reply.status == HTTPStatus.OK:
        return True
    return False if reply.status in _ABSENT else None


def _sum_up(asked: Sequence[str], known: Mapping[str, bool | None]) -> Lookup:
    missing = [doc_id for doc_id in asked if known.get(doc_id) is False]
    found = sum(known.get(doc_id) is True for doc_id in asked)
    return Lookup(
        asked=len(asked),
        found=found,
        missing=len(missing),
        failed=len(asked) - found - len(missing),
        examples=tuple(missing[:_SHOWN]),
    )
