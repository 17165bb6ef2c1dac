"""One real service for all tests of this folder: supervisor, server, API and workers."""

from collections.abc import Iterator

import pytest

from reteval import Client
from tests.service_process import run_service


@pytest.fixture(scope="session")
def service_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the service for the session."""
    with run_service(tmp_path_factory.mktemp("service") / "data") as service:
        yield service.url


@pytest.fixture
def client(service_url: str) -> Iterator[Client]:
    """Open a client of the running service."""
    with Client(service_url) as opened:
        yield opened
