"""How long a run stands still when its worker dies, and how long it goes on when told not to.

Everything as an operator starts it, with default settings: a lease of 30 s, a reaper's round every
5 s. The endpoint notes when each request came. Goals are shares of what is promised: a killed
worker is replaced within a lease and a half, one that gets SIGTERM is gone within 30 s, and 2 s
after a cancellation nothing is sent.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

from manners import listening
from msgspec import Struct
from programs import ROOT, upload

from reteval import Client
from reteval.contract.runs import Run
from service.embedded import EmbeddedServer
from service.standalone import claim_port, secret_key

LEASE_S = 30
RECOVERY_LEASES = 1.5
DRAIN_S = 30
CANCEL_S = 2
RATE = 50
QUERIES = 1_900
"""Less than a shard: one worker at a time, so that what it leaves has to be found."""


class Scene(Struct):
    """A deployment with two workers, and an endpoint that notes when it was asked."""

    client: Client
    workers: list["subprocess.Popen[bytes]"]
    start_worker: Callable[[], "subprocess.Popen[bytes]"]
    test_set: str
    url: str
    log: list[float]

    def start_run(self) -> Run:
        """Start a run and wait until it sends."""
        before = len(self.log)
        request = {
            "test_set": self.test_set,
            "endpoint": {"url": self.url},
            "limits": {"rate_per_s": RATE},
        }
        run = self.client.run(request)
        while len(self.log) < before + 2 * RATE:
            time.sleep(0.01)
        return run

    def find_busy(self) -> "subprocess.Popen[bytes]":
        """Return the worker that has forked for the run."""
        return next(worker for worker in self.workers if _children(worker.pid))

    def await_request(self, after: float) -> float:
        """Return when the first request came after a moment."""
        while not self.log or self.log[-1] <= after:
            time.sleep(0.01)
        return next(moment for moment in self.log if moment > after)

    def replace(self, worker: "subprocess.Popen[bytes]") -> None:
        """Start another worker for one that is gone."""
        worker.wait()
        self.workers.remove(worker)
        self.workers.append(self.start_worker())


def main() -> int:
    """Run all three and print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with deployed() as scene:
        rows = {
            step.__name__: [step(scene) for _ in range(options.rounds)]
            for step in (kill, drain, hand_over, cancel)
        }
    for name, seconds in rows.items():
        print(f"{name:10} median {statistics.median(seconds):6.2f} s, most {max(seconds):6.2f} s")
    figures = (
        ("recovery_in_leases", max(rows["kill"]) / LEASE_S, RECOVERY_LEASES),
        ("drain_share_of_30_s", max(rows["drain"]) / DRAIN_S, 1.0),
        ("cancel_share_of_2_s", max(rows["cancel"]) / CANCEL_S, 1.0),
    )
    for name, value, goal in figures:
        print(f"figure {name} {value:.2f} goal <= {goal}")
    return int(any(value > goal for _, value, goal in figures))


def kill(scene: Scene) -> float:
    """Kill -9 the worker that sends, its fork included; seconds until another one sends."""
    run, victim = scene.start_run(), scene.find_busy()
    os.killpg(victim.pid, signal.SIGKILL)
    killed = time.monotonic()
    scene.replace(victim)
    went_on = scene.await_request(killed + 0.2)  # what was under way may still arrive
    end(scene, run)
    return went_on - killed


def drain(scene: Scene) -> float:
    """Tell the worker that sends to end; seconds until it has."""
    run, victim = scene.start_run(), scene.find_busy()
    victim.send_signal(signal.SIGTERM)
    told = time.monotonic()
    assert victim.wait() == 0  # noqa: S101
    took = time.monotonic() - told
    scene.replace(victim)
    end(scene, run)
    return took


def hand_over(scene: Scene) -> float:
    """Tell the worker that sends to end; the longest pause between two requests of its run."""
    run, victim = scene.start_run(), scene.find_busy()
    told = time.monotonic()
    victim.send_signal(signal.SIGTERM)
    scene.replace(victim)
    scene.await_request(time.monotonic() + 2)
    moments = [moment for moment in scene.log if moment > told - 1]
    end(scene, run)
    return max(later - earlier for earlier, later in pairwise(moments))


def cancel(scene: Scene) -> float:
    """Cancel a run; seconds from the answer to the last request."""
    run = scene.start_run()
    scene.client.cancel(run.id)
    answered = time.monotonic()
    scene.client.wait(run.id)
    time.sleep(CANCEL_S)
    return max(0.0, scene.log[-1] - answered)


def end(scene: Scene, run: Run) -> None:
    """Cancel a run and wait for its end."""
    scene.client.cancel(run.id)
    scene.client.wait(run.id)


@contextmanager
def deployed() -> Iterator[Scene]:
    """Start a store, an API and two workers, and kill them at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(EmbeddedServer(folder / "data"))
        port = claim_port("127.0.0.1", 0)
        environ = {
            "RETEVAL_REDIS_URL": server.url,
            "RETEVAL_AUTH": "off",
            "RETEVAL_EGRESS": "loopback",
            "RETEVAL_PORT": str(port),
            "RETEVAL_SECRET_KEY": secret_key(folder / "data"),
        }
        log = stack.enter_context((folder / "log").open("wb"))

        def start(*words: str) -> "subprocess.Popen[bytes]":
            command = [sys.executable, "-m", *words]
            part = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | environ, stderr=log, start_new_session=True
            )
            stack.callback(_kill_all, part)
            return part

        start("service", "serve")
        workers = [start("worker") for _ in range(2)]
        url, moments = stack.enter_context(listening())
        client = stack.enter_context(Client(f"http://127.0.0.1:{port}"))
        test_set = upload(client, queries=QUERIES)
        yield Scene(client, workers, lambda: start("worker"), test_set, url, moments)


def _kill_all(part: "subprocess.Popen[bytes]") -> None:
    if part.poll() is None:
        os.killpg(part.pid, signal.SIGKILL)
        part.wait()


def _children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()


if __name__ == "__main__":
    sys.exit(main())
