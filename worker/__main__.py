"""`python -m worker`: serve one queue until told to stop."""

import argparse
import asyncio
import logging
import os
import sys
import threading
from collections.abc import Mapping

import structlog

import worker.jobs  # noqa: F401  (imported before the first fork, so that each job starts warm)
from service.errors import ServiceError
from service.queue import QUEUES, RUNS, JobQueue
from service.reaper import reap_forever
from service.settings import Settings, SettingsError
from service.store.store import Store
from worker.jobs.runner import make_worker
from worker.webhooks.delivering import deliver_forever

_EXAMPLE = "example: RETEVAL_REDIS_URL=redis://localhost:6379/0 python -m worker --queue runs"
_log = structlog.get_logger("reteval.worker")


def main(argv: list[str] | None = None) -> int:
    """Run a worker; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m worker", description=__doc__, epilog=_EXAMPLE)
    parser.add_argument("--queue", choices=QUEUES, default=RUNS, help="default: %(default)s")
    parser.add_argument("--burst", action="store_true", help="end when the queue is empty")
    arguments = parser.parse_args(argv)
    try:
        settings = read_settings(os.environ)
        check_store(settings)
    except (SettingsError, ServiceError) as exc:
        sys.stderr.write(f"worker: {exc}\n")
        return 2
    configure_logs(settings.log_level)
    if not arguments.burst:
        threading.Thread(target=_reap, args=(settings,), daemon=True, name="reaper").start()
        threading.Thread(target=_deliver, args=(settings,), daemon=True, name="webhooks").start()
    make_worker(settings.redis_url, arguments.queue).work(
        burst=arguments.burst, logging_level="WARNING"
    )
    return 0


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Read the settings of a worker, which needs a store to work for.

    Raises:
        SettingsError: a value that cannot be used, or no store is named.
    """
    settings = Settings.from_env(environ)
    if not settings.redis_url:
        raise SettingsError(
            "RETEVAL_REDIS_URL is empty: set it, or run `python -m service up`, "
            "which starts a server and workers for it"
        )
    return settings


def check_store(settings: Settings) -> None:
    """Refuse a server that may drop results; warn of one that may lose them.

    Raises:
        ServiceError: the store is away, or evicts keys.
    """

    async def check() -> None:
        store = Store.connect(settings.redis_url)
        try:
            await store.check_policy()
            for finding in await store.findings():
                _log.warning("store.unsafe", finding=finding)
        finally:
            await store.close()

    asyncio.run(check())


def configure_logs(level: str) -> None:
    """Log JSON lines to stderr, from `level` up; http libraries only warn."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    for name in ("httpx", "httpcore", "aiohttp"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _reap(settings: Settings) -> None:
    async def run() -> None:
        store, queue = Store.connect(settings.redis_url), JobQueue.connect(settings.redis_url)
        await reap_forever(store, queue, interval_s=settings.reaper_interval_s)

    asyncio.run(run())


def _deliver(settings: Settings) -> None:
    asyncio.run(deliver_forever(Store.connect(settings.redis_url), settings))


if __name__ == "__main__":
    sys.exit(main())
