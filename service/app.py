"""Puts the API together: routes, guard, error shape, and the life of its connections."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, Final

import structlog
from litestar import Litestar, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler

from service.api import (
    catalogues,
    comparisons,
    endpoints,
    gates,
    power,
    previews,
    probes,
    rankings,
    reports,
    runs,
    system,
    test_sets,
    trends,
)
from service.api.acceptance import check_request
from service.api.access import require_key
from service.api.bodies import AnyRequest
from service.api.envelope import allow_origins, stamp
from service.api.hot import HotAnswers
from service.api.openapi import PREFIX, describe
from service.api.pace import Pace
from service.api.problems import answer_http_exception, answer_service_error, answer_unexpected
from service.api.system import write_yaml
from service.core.backend import Backend, parse_policy
from service.errors import ServiceError, StoreUnavailableError
from service.queue import JobQueue
from service.reaper import reap_forever
from service.settings import Settings, SettingsError
from service.store.ending import end_task
from service.store.store import Store

_log = structlog.get_logger("reteval.app")

_V1: Final = (
    *test_sets.HANDLERS,
    *runs.HANDLERS,
    *rankings.HANDLERS,
    *reports.HANDLERS,
    *trends.HANDLERS,
    *comparisons.HANDLERS,
    *endpoints.HANDLERS,
    *probes.HANDLERS,
    *gates.HANDLERS,
    *power.HANDLERS,
    *catalogues.HANDLERS,
    *previews.HANDLERS,
)


def create_app(settings: Settings) -> Litestar:
    """Build the application; it connects to Redis at its first request that needs it."""

    @contextlib.asynccontextmanager
    async def live(app: Litestar) -> AsyncIterator[None]:
        async with open_backend(settings) as backend:
            app.state.backend = backend
            app.state.hot = HotAnswers()
            app.state.pace = Pace(
                grace_s=settings.body_grace_s, bytes_per_s=settings.body_bytes_per_s
            )
            yield

    guards = [require_key(settings.api_key)] if settings.auth == "required" else []
    return Litestar(
        route_handlers=[
            Router(PREFIX, route_handlers=_handlers(_V1), guards=guards),
            *system.HANDLERS,
        ],
        dependencies={"backend": Provide(_find_backend, sync_to_thread=False)},
        exception_handlers={
            ServiceError: answer_service_error,
            HTTPException: answer_http_exception,
            Exception: answer_unexpected,
        },
        before_request=check_request,
        before_send=[stamp],
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
    settings = Settings.from_env(os.environ)
    check_settings(settings)
    return create_app(settings)


def check_settings(settings: Settings) -> None:
    """Refuse to serve without a store, or unguarded where others can reach it.

    Raises:
        SettingsError: the message names the setting and what it may be.
    """
    if not settings.redis_url:
        raise SettingsError("RETEVAL_REDIS_URL is empty; set it, or use `python -m service up`")
    if settings.auth == "required" and not settings.api_key:
        raise SettingsError("RETEVAL_API_KEY is empty; set it, or RETEVAL_AUTH=off on loopback")
    try:
        parse_policy(settings.egress, settings.egress_allow, settings.own_addresses())
    except ValueError as exc:
        raise SettingsError(f"RETEVAL_EGRESS_ALLOW: {exc}") from exc
    if settings.auth == "off" and not _is_loopback(settings.host):
        raise SettingsError(
            f"RETEVAL_AUTH=off is refused on RETEVAL_HOST={settings.host!r}; "
            "bind to 127.0.0.1, or set RETEVAL_AUTH=required and RETEVAL_API_KEY"
        )


def openapi_yaml(settings: Settings) -> str:
    """Return the API's OpenAPI document; nothing is connected."""
    return write_yaml(describe(create_app(settings).routes))


@contextlib.asynccontextmanager
async def open_backend(settings: Settings) -> AsyncIterator[Backend]:
    """Hold the connections and keep the reaper running."""
    async with contextlib.AsyncExitStack() as held:
        store = Store.connect(settings.redis_url)
        held.push_async_callback(store.close)
        queue = JobQueue.connect(settings.redis_url)
        held.callback(queue.close)
        await check_store(store)
        reaper = asyncio.create_task(
            reap_forever(store, queue, interval_s=settings.reaper_interval_s)
        )
        reaper.add_done_callback(_report_end)
        held.push_async_callback(end_task, reaper)
        yield Backend(
            store=store,
            queue=queue,
            policy=parse_policy(settings.egress, settings.egress_allow, settings.own_addresses()),
            egress=settings.egress,
            secret_key=settings.secret_key,
            code_version=version("reteval-service"),
            now=lambda: datetime.now(UTC),
        )


async def check_store(store: Store) -> None:
    """Refuse a store that drops keys by itself; log what else is unsafe about it.

    One that is away is no reason not to start: `/readyz` says so, and requests answer 503.

    Raises:
        StoreUnavailableError: its eviction policy loses results.
    """
    try:
        await store.ping()
    except StoreUnavailableError as exc:
        _log.warning("store.unavailable", error=exc.detail)
        return
    await store.check_policy()
    for finding in await store.findings():
        _log.warning("store.unsafe", finding=finding)


def _report_end(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (cause := task.exception()) is not None:
        _log.error("reaper.died", exc_info=cause)


def _handlers(handlers: tuple[HTTPRouteHandler, ...]) -> list[Any]:
    return list(handlers)


def _find_backend(request: AnyRequest) -> Backend:
    backend: Backend = request.app.state.backend  # the framework would copy a `state` it injects
    return backend


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
