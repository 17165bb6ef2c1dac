"""Rescoring: a child run over the rankings that another run stored."""

from msgspec import structs

from reteval.contract.metrics import UnknownMetricError, expand_metrics
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Estimate, RescoreRequest, Run, RunRequest, TestSetRef
from reteval.contract.testsets import TestSet
from service.core.backend import Backend
from service.core.estimates import estimate
from service.core.run_checks import check_names
from service.core.runs import accept, find_test_set
from service.core.splits import find_portion
from service.errors import InvalidError, NoRankingsError
from service.queue import INTERACTIVE
from service.store.keys import new_id
from service.store.records import Idempotency, Rescore, RunRecord, RunSpec


async def rescore(
    backend: Backend,
    run_id: str,
    request: RescoreRequest,
    *,
    idempotency: Idempotency | None = None,
) -> Run:
    """Accept a child run that sends nothing.

    Raises:
        InvalidError: a metric that is unknown or deeper than the rankings, or an unknown split.
        NotFoundError: no such run or test set.
        NotTerminalError: the run has not ended.
        NoRankingsError: the run ended before it stored a ranking.
        StorageFullError: the store has less memory left than the child may need.
        QuotaExceededError: the team may not have another one of this size.
        IdempotencyConflictError: another process took the key over.
    """
    parent = await backend.store.runs.get(backend.tenant, run_id)
    _, total = await backend.store.outcomes.plan_size(backend.tenant, run_id)
    if not total:
        raise NoRankingsError(f"Run {run_id!r} stored no rankings; start a new run instead.")
    ref = request.test_set or parent.spec.test_set.id
    test_set = await find_test_set(backend, ref)
    changed = _change(parent, request)
    portion = await find_portion(backend, test_set, changed.split)
    stats = portion.stats if portion else test_set.stats
    metrics = _resolve(changed, parent, asked_anew=_asks_anew(request))
    threshold = request.relevant_from or _threshold(parent, test_set)
    outlook = estimate(changed, stats, depth=parent.spec.depth, metrics=metrics)
    spec = RunSpec(
        id=new_id("run"),
        request=structs.replace(changed, test_set=test_set.id),
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=parent.spec.depth,
        metrics=metrics,
        planned=Estimate(clean=stats.scorable, adversarial=0, bytes=outlook.planned.bytes),
        egress=parent.spec.egress,
        code_version=backend.code_version,
        unscorable=stats.unscorable,
        portion=portion,
        rescore=Rescore(parent=parent.id, relevant_from=threshold),
    )
    await backend.store.runs.use(backend.tenant, parent.id)
    return await accept(
        backend, spec, outlook, headers={}, idempotency=idempotency, queue=INTERACTIVE
    )


def _change(parent: RunRecord, request: RescoreRequest) -> RunRequest:
    before = parent.spec.request
    limits = before.limits
    if request.max_error_rate is not None:
        limits = structs.replace(limits, max_error_rate=request.max_error_rate)
    changed = structs.replace(
        before,
        label=before.label if request.label is None else request.label,
        meta=before.meta if request.meta is None else request.meta,
        metrics=before.metrics if request.metrics is None else request.metrics,
        k_values=before.k_values if request.k_values is None else request.k_values,
        interval=before.interval if request.interval is None else request.interval,
        limits=limits,
        split=before.split if request.split is None else request.split,
    )
    items = check_names(changed)
    if items:
        raise InvalidError("The request breaks a rule.", errors=items)
    return changed


def _asks_anew(request: RescoreRequest) -> bool:
    return request.metrics is not None or request.k_values is not None


def _resolve(request: RunRequest, parent: RunRecord, *, asked_anew: bool) -> tuple[str, ...]:
    if not asked_anew:
        return parent.spec.metrics
    try:
        metrics = expand_metrics(request.metrics, request.k_values)
    except UnknownMetricError as exc:
        raise _refuse("/metrics", str(exc), "GET /v1/metrics lists what can be asked for.") from exc
    deepest = max((metric.k or 0 for metric in metrics), default=0)
    if deepest > parent.spec.depth:
        raise _refuse(
            "/k_values",
            f"the stored rankings end at {parent.spec.depth}, the cut-off is {deepest}",
            "Use smaller cut-offs, or start a run with a larger depth.",
        )
    return tuple(str(metric) for metric in metrics)


def _threshold(parent: RunRecord, test_set: TestSet) -> int:
    """Return the threshold in force: an override of the parent's stays with its test set."""
    earlier = parent.spec.rescore
    if earlier is not None and test_set.id == parent.spec.test_set.id:
        return earlier.relevant_from
    return test_set.relevant_from


def _refuse(pointer: str, message: str, fix: str) -> InvalidError:
    item = ProblemItem(pointer=pointer, message=message, fix=fix)
    return InvalidError("The rescoring breaks a rule.", errors=[item])
