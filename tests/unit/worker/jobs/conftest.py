"""The API in this process, for tests of jobs that are begun by a request."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.unit.service.api.conftest import open_client


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open the API on an empty store."""
    async with open_client(redis_url) as opened:
        yield opened
