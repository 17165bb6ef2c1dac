import asyncio

import pytest
import redis
from structlog.testing import capture_logs

from service.app import _report_end, application, check_settings, open_backend
from service.settings import Settings, SettingsError
from service.store.findings import UnsafeStoreError

URL = "redis://store.internal/0"


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({}, "RETEVAL_REDIS_URL"),
        (
            {"RETEVAL_REDIS_URL": URL, "RETEVAL_AUTH": "off", "RETEVAL_HOST": "0.0.0.0"},  # noqa: S104
            "RETEVAL_AUTH",
        ),
        (
            {"RETEVAL_REDIS_URL": URL, "RETEVAL_AUTH": "off", "RETEVAL_HOST": "example.com"},
            "RETEVAL_AUTH",
        ),
        (
            {"RETEVAL_REDIS_URL": URL, "RETEVAL_API_KEY": "k", "RETEVAL_EGRESS_ALLOW": "host"},
            "RETEVAL_EGRESS_ALLOW",
        ),
    ],
)
def test_unsafe_settings_are_refused_at_start(environment: dict[str, str], names: str) -> None:
    """No store, no guard beyond loopback, a broken opening: the setting is named."""
    with pytest.raises(SettingsError, match=names):
        check_settings(Settings.from_env(environment))


async def test_reaper_that_dies_is_logged() -> None:
    """A defect that ends the reaper is in the log; its regular end is not."""

    async def die() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    with capture_logs() as logs:
        task = asyncio.create_task(die())
        task.add_done_callback(_report_end)
        await asyncio.wait({task})
        await asyncio.sleep(0)
    assert [log["event"] for log in logs] == ["chore.died"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_needs_no_key(host: str) -> None:
    """On loopback the guard may be off."""
    environment = {"RETEVAL_REDIS_URL": URL, "RETEVAL_AUTH": "off", "RETEVAL_HOST": host}
    check_settings(Settings.from_env(environment))


def test_application_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The factory a server calls builds the application from RETEVAL_ variables."""
    monkeypatch.setenv("RETEVAL_REDIS_URL", URL)
    monkeypatch.setenv("RETEVAL_API_KEY", "k")
    assert application().routes


async def test_store_that_evicts_is_refused_at_start(redis_url: str) -> None:
    """A store that may drop results by itself stops the start; one without AOF is a warning."""
    settings = Settings.from_env({"RETEVAL_REDIS_URL": redis_url})
    with redis.Redis.from_url(redis_url) as server:
        server.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(UnsafeStoreError, match="noeviction"):
                async with open_backend(settings):
                    pass
        finally:
            server.config_set("maxmemory-policy", "noeviction")
        server.config_set("appendonly", "no")
        try:
            async with open_backend(settings):
                pass
        finally:
            server.config_set("appendonly", "yes")
