"""Puts the API together: routes, guard, error shape, and the life of its connections."""

import asyncio
import contextlib
import gc
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, Final

import structlog
from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler

from reteval.contract.api_keys import NewApiKey
from reteval.contract.audit import AuditEvent
from reteval.contract.quotas import QuotaName
from service.api import (
    alerts,
    api_keys,
    backups,
    badges,
    catalogues,
    comparisons,
    endpoints,
    faqs,
    gates,
    grants,
    judging_jobs,
    judgings,
    keeping,
    leakage,
    limits,
    monitoring,
    power,
    previews,
    probes,
    query_samples,
    rankings,
    reports,
    reviewing,
    runs,
    schedules,
    splits,
    suites,
    system,
    teams,
    test_sets,
    trends,
    versions,
    watching,
    webhooks,
)
from service.api.acceptance import check_request
from service.api.access import Guard, find_identity
from service.api.bodies import AnyRequest
from service.api.departing import see_off
from service.api.envelope import allow_origins
from service.api.hot import HotAnswers
from service.api.observing import Traffic, observe
from service.api.openapi import PREFIX, describe
from service.api.pace import Pace
from service.api.problems import answer_http_exception, answer_service_error, answer_unexpected
from service.api.shortcut import shorten
from service.api.system import write_yaml
from service.core.audit import record
from service.core.backend import Backend, Keeping, parse_policy
from service.core.bootstrap import make_first_key
from service.core.identity import NOBODY
from service.core.limiter import RateRules
from service.core.readiness import WATCH_S, watch_forever
from service.core.steward import attend_forever
from service.errors import ServiceError, StoreUnavailableError
from service.logs import configure_logs
from service.pages import report
from service.pages import routes as pages
from service.pages.routing import show_service_error, show_unexpected
from service.queue import JobQueue
from service.reaper import reap_forever
from service.settings import Settings, SettingsError
from service.stderr import forgive_stderr
from service.store.ending import end_task
from service.store.quotas import Quotas
from service.store.rates import RateRule
from service.store.store import Store
from service.tracing import flush_tracing, is_traced, start_tracing

_log = structlog.get_logger("reteval.app")

_V1: Final = (
    *test_sets.HANDLERS,
    *versions.HANDLERS,
    *splits.HANDLERS,
    *suites.HANDLERS,
    *faqs.HANDLERS,
    *query_samples.HANDLERS,
    *runs.HANDLERS,
    *watching.HANDLERS,
    *rankings.HANDLERS,
    *reports.HANDLERS,
    *trends.HANDLERS,
    *badges.HANDLERS,
    *comparisons.HANDLERS,
    *endpoints.HANDLERS,
    *probes.HANDLERS,
    *gates.HANDLERS,
    *power.HANDLERS,
    *catalogues.HANDLERS,
    *previews.HANDLERS,
    *judgings.HANDLERS,
    *judging_jobs.HANDLERS,
    *reviewing.HANDLERS,
    *leakage.HANDLERS,
    *keeping.HANDLERS,
    *backups.HANDLERS,
    *webhooks.HANDLERS,
    *schedules.HANDLERS,
    *alerts.HANDLERS,
    *api_keys.HANDLERS,
    *teams.HANDLERS,
    *grants.HANDLERS,
    *limits.HANDLERS,
)

_YOUNG: Final = 10_000
"""Objects made before the young are collected: those of an upload are mostly gone sooner."""


def create_app(settings: Settings) -> Litestar:
    """Build the application; it connects to Redis at its first request that needs it."""

    @contextlib.asynccontextmanager
    async def live(app: Litestar) -> AsyncIterator[None]:
        async with open_backend(settings) as backend:
            app.state.backend = backend
            app.state.pace = Pace(
                grace_s=settings.body_grace_s, bytes_per_s=settings.body_bytes_per_s
            )
            gc.freeze()  # what is here stays: an upload's many objects are collected without it
            gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
            yield
        await asyncio.to_thread(flush_tracing)

    traffic, hot = Traffic(), HotAnswers()
    guard = Guard(required=settings.auth == "required", operator_key=settings.api_key)
    return Litestar(
        route_handlers=[
            Router(
                PREFIX,
                route_handlers=_handlers(_V1),
                guards=[guard.check],
                dependencies={"backend": Provide(_serve_caller, sync_to_thread=False)},
            ),
            *system.HANDLERS,
            Router("/", route_handlers=_handlers(monitoring.HANDLERS), guards=[guard.check]),
            Router(
                "/",
                route_handlers=_handlers(pages.HANDLERS),
                guards=[guard.check],
                dependencies={"backend": Provide(_serve_caller, sync_to_thread=False)},
                exception_handlers={ServiceError: show_service_error, Exception: show_unexpected},
            ),
        ],
        dependencies={"backend": Provide(_find_backend, sync_to_thread=False)},
        exception_handlers={
            ServiceError: answer_service_error,
            HTTPException: answer_http_exception,
            Exception: answer_unexpected,
        },
        middleware=[observe(traced=is_traced()), shorten(guard, hot)],
        state=State(
            {"traffic": traffic, "hot": hot, "guard": guard, "export_html": report.export_html}
        ),
        before_request=check_request,
        before_send=[see_off(traffic)],
        cors_config=allow_origins(settings.cors_origins),
        lifespan=[live],
        request_max_body_size=None,
        openapi_config=None,
        logging_config=None,
    )


def application() -> Litestar:
    """Build the application from the environment, for a server that takes a factory.

    Raises:
        SettingsError: a setting that cannot be used, or an API that anyone could reach.
    """
    forgive_stderr()
    settings = Settings.from_env(os.environ)
    check_settings(settings)
    configure_logs(settings.log_level)
    start_tracing(os.environ, part="api")
    return create_app(settings)


def check_settings(settings: Settings) -> None:
    """Refuse to serve without a store, or without keys where others can reach it.

    Raises:
        SettingsError: the message names the setting and what it may be.
    """
    if not settings.redis_url:
        raise SettingsError("RETEVAL_REDIS_URL is empty; set it, or use `python -m service up`")
    try:
        parse_policy(settings.egress, settings.egress_allow, settings.own_addresses())
    except ValueError as exc:
        raise SettingsError(f"RETEVAL_EGRESS_ALLOW: {exc}") from exc
    if settings.auth == "off" and not _is_loopback(settings.host):
        raise SettingsError(
            f"RETEVAL_AUTH=off is refused on RETEVAL_HOST={settings.host!r}; "
            "bind to 127.0.0.1, or leave RETEVAL_AUTH at `required`"
        )


def openapi_yaml(settings: Settings) -> str:
    """Return the API's OpenAPI document; nothing is connected."""
    return write_yaml(describe(create_app(settings).routes))


async def bootstrap(settings: Settings, *, days: int, again: bool) -> NewApiKey:
    """Make the first key of the deployment whose store the settings name.

    Raises:
        ServiceError: it was made already, or the store does not answer.
    """
    async with connect(settings) as backend:
        return await make_first_key(backend, days=days, again=again)


@contextlib.asynccontextmanager
async def open_backend(settings: Settings) -> AsyncIterator[Backend]:
    """Hold the connections, keep reaper and steward running, and watch what may go wrong."""
    async with connect(settings) as backend, contextlib.AsyncExitStack() as held:
        await check_store(backend.store)
        backend.limit(find_quotas(settings), find_rates(settings))
        await note_start(backend, settings)
        chores = {
            "reaper": reap_forever(
                backend.store,
                backend.queue,
                interval_s=settings.reaper_interval_s,
                retention_days=settings.retention_days,
            ),
            "steward": attend_forever(backend, interval_s=settings.steward_interval_s),
            "watch": watch_forever(backend, interval_s=WATCH_S),
        }
        for name, chore in chores.items():
            task = asyncio.create_task(chore, name=name)
            task.add_done_callback(_report_end)
            held.push_async_callback(end_task, task)
        yield backend


@contextlib.asynccontextmanager
async def connect(settings: Settings) -> AsyncIterator[Backend]:
    """Hold the connections."""
    async with contextlib.AsyncExitStack() as held:
        store = Store.connect(settings.redis_url, idempotency_lease_s=settings.idempotency_lease_s)
        held.push_async_callback(store.close)
        queue = JobQueue.connect(settings.redis_url)
        held.callback(queue.close)
        yield Backend(
            store=store,
            queue=queue,
            policy=parse_policy(settings.egress, settings.egress_allow, settings.own_addresses()),
            egress=settings.egress,
            secret_key=settings.secret_key,
            code_version=version("reteval-service"),
            keeping=Keeping(
                retention_days=settings.retention_days, store_bytes=settings.store_bytes
            ),
            now=lambda: datetime.now(UTC),
        )


async def check_store(store: Store) -> None:
    """Refuse a store that drops keys by itself; log what else is unsafe about it.

    One that is away is no reason not to start: `/readyz` says so, and requests answer 503.

    Raises:
        UnsafeStoreError: its eviction policy loses results.
    """
    try:
        found = await store.check_policy()
    except StoreUnavailableError as exc:
        _log.warning("store.unavailable", error=exc.detail)
        return
    for finding in found:
        _log.warning("store.unsafe", code=finding.code, message=finding.message, fix=finding.fix)


async def note_start(backend: Backend, settings: Settings) -> None:
    """Put into the audit log with which settings a process serves, without what is secret."""
    told = {
        "auth": settings.auth,
        "operator_key": "set" if settings.api_key else "unset",
        "secret_key": "set" if settings.secret_key else "unset",
        "egress": settings.egress,
        "egress_allow": len(settings.egress_allow),
        "cors_origins": len(settings.cors_origins),
        "rate": f"{settings.rate_requests}/{settings.rate_window_s}",
        "retention_days": settings.retention_days,
    }
    await record(
        backend.of(NOBODY),
        AuditEvent.SERVICE_STARTED,
        target=backend.code_version,
        detail=" ".join(f"{name}={value}" for name, value in told.items()),
    )


def find_quotas(settings: Settings) -> Quotas:
    """Return the quotas in force: where no keys are asked for, only that of runs that wait."""
    names = QuotaName if settings.auth == "required" else (QuotaName.QUEUED_RUNS,)
    return {str(name): getattr(settings, f"quota_{name}") for name in names}


def find_rates(settings: Settings) -> RateRules:
    """Return how fast keys, and those without one, may send."""
    window = settings.rate_window_s
    return RateRules(
        keys=RateRule(
            requests=settings.rate_requests,
            window_s=window,
            per_day=settings.quota_requests_per_day,
        ),
        failures=RateRule(requests=settings.rate_failures, window_s=window),
    )


def _report_end(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (cause := task.exception()) is not None:
        _log.error("chore.died", chore=task.get_name(), exc_info=cause)


def _handlers(handlers: tuple[HTTPRouteHandler, ...]) -> list[Any]:
    return list(handlers)


def _find_backend(request: AnyRequest) -> Backend:
    backend: Backend = request.app.state.backend  # the framework would copy a `state` it injects
    return backend


def _serve_caller(request: AnyRequest) -> Backend:
    return _find_backend(request).of(find_identity(request))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
