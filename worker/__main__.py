"""`python -m worker`: serve one queue until told to stop."""

import argparse
import asyncio
import os
import signal
import sys
import threading
from collections.abc import Mapping

import structlog

import worker.jobs  # noqa: F401  (imported before the first fork, so that each job starts warm)
from reteval.contract.readiness import Finding
from service.errors import ServiceError
from service.logs import configure_logs
from service.queue import QUEUES, RUNS, JobQueue
from service.reaper import reap_forever
from service.settings import Settings, SettingsError
from service.stderr import forgive_stderr
from service.store.findings import UnsafeStoreError
from service.store.store import Store
from service.tracing import start_tracing
from worker.jobs.runner import PAUSE_S, serve
from worker.webhooks.delivering import deliver_forever

_EXAMPLE = "example: RETEVAL_REDIS_URL=redis://localhost:6379/0 python -m worker --queue runs"
_log = structlog.get_logger("reteval.worker")


def main(argv: list[str] | None = None) -> int:
    """Run a worker; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m worker", description=__doc__, epilog=_EXAMPLE)
    parser.add_argument("--queue", choices=QUEUES, default=RUNS, help="default: %(default)s")
    parser.add_argument("--burst", action="store_true", help="end when the queue is empty")
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # rq's own way out follows
    forgive_stderr()
    try:
        settings = read_settings(os.environ)
        configure_logs(settings.log_level)
        _log.info("worker.started", queue=arguments.queue)  # from here on it can be told to end
        asyncio.run(await_store(settings.redis_url))
    except (SettingsError, UnsafeStoreError) as exc:
        sys.stderr.write(f"worker: {exc}\n")
        return 2
    start_tracing(os.environ, part="worker")
    if not arguments.burst:
        threading.Thread(target=_reap, args=(settings,), daemon=True, name="reaper").start()
        threading.Thread(target=_deliver, args=(settings,), daemon=True, name="webhooks").start()
    serve(settings.redis_url, arguments.queue, burst=arguments.burst)
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


async def await_store(redis_url: str) -> None:
    """Wait until the store answers; warn of what is wrong with it.

    Raises:
        UnsafeStoreError: it evicts keys, so that results may vanish.
    """
    store = Store.connect(redis_url)
    try:
        while (found := await _look_at(store)) is None:  # noqa: ASYNC110 - no event crosses
            await asyncio.sleep(PAUSE_S)
    finally:
        await store.close()
    for finding in found:
        _log.warning("store.unsafe", code=finding.code, message=finding.message)


async def _look_at(store: Store) -> list[Finding] | None:
    try:
        return await store.check_policy()
    except ServiceError as exc:
        _log.warning("store.unavailable", error=str(exc), again_in_s=PAUSE_S)
        return None


def _reap(settings: Settings) -> None:
    async def run() -> None:
        store, queue = Store.connect(settings.redis_url), JobQueue.connect(settings.redis_url)
        await reap_forever(
            store,
            queue,
            interval_s=settings.reaper_interval_s,
            retention_days=settings.retention_days,
        )

    asyncio.run(run())


def _deliver(settings: Settings) -> None:
    asyncio.run(deliver_forever(Store.connect(settings.redis_url), settings))


if __name__ == "__main__":
    sys.exit(main())
