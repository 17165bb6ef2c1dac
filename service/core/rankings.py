"""Runs over uploaded rankings: read, store, and have them scored as if they had been searched."""

import asyncio

from msgspec import structs

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint
from reteval.contract.metrics import UnknownMetricError, expand_metrics
from reteval.contract.problems import ProblemItem
from reteval.contract.rankings import Ranking, RankingsHead
from reteval.contract.runs import Limits, Run, RunRequest, TestSetRef
from service.core.admission import set_aside
from service.core.backend import Backend
from service.core.estimates import estimate
from service.core.ingest.rankings import read_rankings
from service.core.jobs import wake
from service.core.run_checks import check_names
from service.core.runs import find_test_set, show
from service.core.splits import find_portion
from service.errors import InvalidError
from service.queue import INTERACTIVE
from service.store.keys import new_id
from service.store.records import Idempotency, RunSpec


async def score_rankings(
    backend: Backend, head: RankingsHead, body: bytes, *, idempotency: Idempotency | None = None
) -> Run:
    """Accept a run over the rankings in `body`.

    Raises:
        InvalidError, MalformedTextError, MalformedJsonError: head or rankings break a rule.
        NotFoundError: no such test set.
        StorageFullError: the store has less memory left than the run may need.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    test_set = await find_test_set(backend, head.test_set)
    request = RunRequest(
        test_set=test_set.id,
        endpoint=Endpoint(),
        label=head.label,
        metrics=list(head.metrics),
        k_values=list(head.k_values),
        meta=head.meta,
        interval=head.interval,
        split=head.split,
        limits=Limits(max_error_rate=head.max_error_rate),
    )
    rankings = await asyncio.to_thread(lambda: list(read_rankings(body)))
    _check(request, rankings)
    metrics = _resolve(request)
    longest = max(len(ranking.ids) for ranking in rankings)
    depth = head.depth or min(max(longest, *head.k_values), limits.MAX_DEPTH)
    portion = await find_portion(backend, test_set, head.split)
    stats = portion.stats if portion else test_set.stats
    outlook = estimate(request, stats, depth=depth, metrics=metrics)
    spec = RunSpec(
        id=new_id("run"),
        request=request,
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=depth,
        metrics=metrics,
        planned=structs.replace(outlook.planned, adversarial=0),
        egress=backend.egress,
        code_version=backend.code_version,
        unscorable=stats.unscorable,
        portion=portion,
        uploaded=True,
    )
    await set_aside(backend, spec, outlook)
    await backend.store.runs.put_rankings(backend.tenant, spec.id, rankings)
    record, _ = await backend.store.runs.create(
        backend.tenant,
        spec,
        secrets=None,
        idempotency=idempotency,
        queue=INTERACTIVE,
        quotas=backend.quotas,
    )
    await wake(backend, record.id, record)
    return show(record, backend.now())


def _check(request: RunRequest, rankings: list[Ranking]) -> None:
    items = check_names(request)
    if not rankings:
        items.append(
            ProblemItem(
                pointer="/rankings",
                message="there is no ranking in it",
                fix="Send a TREC run, ranx JSON or JSON lines with query_id and ids.",
            )
        )
    if items:
        raise InvalidError("The upload breaks a rule.", errors=items)


def _resolve(request: RunRequest) -> tuple[str, ...]:
    try:
        metrics = expand_metrics(request.metrics, request.k_values)
    except UnknownMetricError as exc:
        item = ProblemItem(
            pointer="/request/metrics",
            message=str(exc),
            fix="GET /v1/metrics lists what can be asked for.",
        )
        raise InvalidError("The upload breaks a rule.", errors=[item]) from exc
    return tuple(str(metric) for metric in metrics)
