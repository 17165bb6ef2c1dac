"""A deployment for each file of tests: they start and kill its workers as they like."""

from collections.abc import Iterator

import pytest

from tests.faults.cluster import Cluster, run_cluster


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Run a store and an API; no worker yet."""
    with run_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(deployment: Cluster) -> Iterator[Cluster]:
    """Lend the deployment to one test, and end the workers that it leaves behind."""
    yield deployment
    deployment.stop_workers()
