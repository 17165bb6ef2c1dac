"""Fixtures of the search tests."""

from collections.abc import AsyncIterator

import pytest

from tests.evil import Evil


@pytest.fixture
async def evil() -> AsyncIterator[Evil]:
    """Start the server."""
    async with Evil() as server:
        yield server
