"""Workers that are killed lose no event: it is recorded with the end of the run itself."""

import os
import signal
from pathlib import Path

from reteval import Client, verify_webhook
from reteval.contract.rankings import Ranking
from reteval.contract.runs import RunStatus
from reteval.contract.webhooks import DeliveryState
from tests.receiver import receive
from tests.service_process import ServiceProcess, find_descendants, run_service

ENVIRON = {
    "RETEVAL_LEASE_S": "2",
    "RETEVAL_REAPER_INTERVAL_S": "0.5",
    "RETEVAL_WEBHOOK_TIMEOUT_S": "1",
}
TEST_SET = {"name": "killed", "queries": [{"id": "q1", "query": "reset", "relevant_ids": ["d1"]}]}


def kill_workers(service: ServiceProcess) -> int:
    """Kill every worker where it stands; return how many there were."""
    workers = [
        pid
        for pid in find_descendants(service.process.pid)
        if b"\0worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    return len(workers)


def score(client: Client) -> str:
    """Start a run that calls nobody; return its id."""
    ranking = [Ranking(query_id="q1", ids=["d1"])]
    return client.score_rankings({"test_set": "killed"}, ranking).id


def test_workers_killed_during_an_attempt(tmp_path: Path) -> None:
    """The attempt that no worker lived to settle is made again, as the same message."""
    killed: list[int] = []
    with run_service(tmp_path / "data", **ENVIRON) as service, Client(service.url) as client:

        def kill_once() -> None:
            if not killed:
                killed.append(kill_workers(service))

        with receive(before=kill_once) as receiver:
            made = client.create_webhook({"url": receiver.url})
            client.upload(TEST_SET)
            run_id = score(client)
            first, second = receiver.await_messages(2, seconds=60)[:2]
            event = verify_webhook(made.secret, second.headers, second.body)
            ended = client.wait(run_id, timeout_s=30)
    assert killed[0] >= 2
    assert ended.status is RunStatus.COMPLETED
    assert event.data is not None
    assert event.data.id == run_id
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


def test_workers_killed_when_the_run_has_ended(tmp_path: Path) -> None:
    """Each run's event arrives although every worker dies as soon as the run is seen to end."""
    with (
        run_service(tmp_path / "data", **ENVIRON) as service,
        Client(service.url) as client,
        receive() as receiver,
    ):
        hook = client.create_webhook({"url": receiver.url}).id
        client.upload(TEST_SET)
        runs = []
        for _ in range(3):
            runs.append(score(client))
            client.wait(runs[-1], timeout_s=60)
            assert kill_workers(service) >= 2
        expected = {f"evt_{run_id.removeprefix('run_')}" for run_id in runs}
        while {message.headers["webhook-id"] for message in receiver.messages} != expected:
            receiver.await_messages(len(receiver.messages) + 1, seconds=60)
        states = {one.id: one.state for one in client.deliveries(hook)}
    assert set(states) == expected
    assert list(states.values()).count(DeliveryState.DELIVERED) >= 2
