"""A client of the whole API in this process, over a real store."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet
from litestar import Litestar

from service.app import create_app
from service.settings import Settings
from service.store.store import Store
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

Opens = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]

ENVIRONMENT = {
    "RETEVAL_AUTH": "off",
    "RETEVAL_EGRESS": "loopback",
    "RETEVAL_SECRET_KEY": Fernet.generate_key().decode(),
    "RETEVAL_REAPER_INTERVAL_S": "60",
    "RETEVAL_RATE_REQUESTS": "0",  # tests of other things send what they like
    "RETEVAL_RATE_FAILURES": "0",
}


@cache
def build(settings: Settings) -> Litestar:
    """Build an app once for all tests with the same settings: each test begins its life anew."""
    return create_app(settings)


@asynccontextmanager
async def open_client(
    url: str, *, make: Callable[[Settings], Litestar] = build, **changes: str
) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the API in this process and return a client of it."""
    app: Any = make(Settings.from_env({**ENVIRONMENT, "RETEVAL_REDIS_URL": url, **changes}))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.lifespan(),
        httpx.AsyncClient(transport=transport, base_url="http://api.test") as client,
    ):
        yield client


@pytest.fixture
def opens() -> Opens:
    """Return a function that opens a client with other settings."""
    return open_client


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open the API on an empty store."""
    async with open_client(redis_url) as opened:
        yield opened


@pytest.fixture
async def newborn(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open an API that has answered nothing yet, on an empty store."""
    async with open_client(redis_url, make=create_app) as opened:
        yield opened


@pytest.fixture
async def guarded(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open the API on an empty store with keys required, and no key of the operator."""
    async with open_client(redis_url, RETEVAL_AUTH="required") as opened:
        yield opened


@pytest.fixture
async def ended_run(client: httpx.AsyncClient, store: Store) -> str:
    """Return the id of a run that has ended, over the set `ended`."""
    await client.post("/v1/test-sets", json=TEST_SET)
    made = await client.post("/v1/runs", json=run_body(label="first"))
    run_id: str = made.json()["id"]
    await end_run(store, run_id)
    return run_id
