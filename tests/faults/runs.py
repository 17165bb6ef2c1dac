"""Runs as fault tests make them, and what they are held to afterwards."""

import contextlib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from reteval import Client
from reteval.contract.results import Results
from reteval.contract.runs import Run
from service.locks import wait_until
from tests.endpoint import Endpoint, serve_answers
from tests.faults.audit import audit_run, numbers_of
from tests.faults.brake import Brake
from tests.faults.cluster import PATIENCE_S, Cluster
from tests.faults.collection import make_test_set, search

SIZE = 40
HALF = SIZE // 2
CONCURRENCY = 4


class Stage(Struct, frozen=True):
    """What a test disturbs: a deployment, its client, and an endpoint with a brake."""

    cluster: Cluster
    client: Client
    endpoint: Endpoint
    brake: Brake
    test_set: str

    def request(self) -> dict[str, Any]:
        """The body of a run over the whole test set."""
        return {
            "test_set": self.test_set,
            "endpoint": {"url": self.endpoint.url},
            "limits": {"concurrency": CONCURRENCY, "timeout_s": 100},
        }

    def start_run(self) -> Run:
        """Start a run over the whole test set."""
        return self.client.run(self.request())

    def await_half(self, run: Run) -> None:
        """Wait until half of the run is stored and its next requests wait at the endpoint."""
        self.wait_for(lambda: self.client.get(run.id).progress.done >= HALF)
        self.wait_for(lambda: self.brake.held >= CONCURRENCY)

    def finish(self, run: Run) -> Results:
        """Let the endpoint answer, wait for the end, and audit the report."""
        self.brake.release()
        self.client.wait(run.id, timeout_s=PATIENCE_S)
        return audit_run(self.client, run.id, self.endpoint)

    def wait_for(self, condition: Any) -> None:
        """Wait for a condition that must come true."""
        assert wait_until(condition, PATIENCE_S), "it did not come true"


@contextlib.contextmanager
def set_stage(cluster: Cluster, *, after: int = HALF, size: int = SIZE) -> Iterator[Stage]:
    """Upload the test set and serve its answers, of which `after` come before the brake."""
    brake = Brake(search, after=after)
    with serve_answers(brake) as endpoint, cluster.client() as client:
        test_set = client.upload(make_test_set("faults", size))
        try:
            yield Stage(cluster, client, endpoint, brake, test_set.id)
        finally:
            brake.release()


def undisturbed(cluster: Cluster) -> dict[str, Any]:
    """Return the numbers of a run that nothing happens to."""
    with set_stage(cluster, after=SIZE) as stage:
        worker = cluster.start_worker()
        numbers = numbers_of(stage.finish(stage.start_run()))
        worker.kill()
    return numbers
