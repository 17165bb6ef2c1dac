"""What a soak disturbs: a deployment behind two proxies, and an endpoint with moods."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval import Client
from reteval.retries import Retry
from service.queue import INTERACTIVE, RUNS
from tests.chaos import ChaosProxy, proxy_to
from tests.endpoint import Endpoint, Received, serve
from tests.faults.cluster import Cluster, Part, run_cluster
from tests.faults.collection import search
from tests.soak.history import Asked, History

WORKERS: Final = 3
SHARDS: Final = (20, 1_000)
"""Sizes of shards by who plans: many to hand over, or one that is held for long."""
TEAM: Final = 1_000
"""The queries of a team are numbered from here on, those of the next from twice as many."""
LATENCY_S: Final = (0.01, 0.08)
LONGER: Final = 4
HANG_S: Final = 2.0
BAD: Final = 0.75
"""Share of the requests that feel a mood."""
IMPATIENT_S: Final = 8.0
"""For how long a client waits for an answer."""


class Mood(Enum):
    """What the endpoint does with most requests; the others are answered."""

    WELL = "well"
    BUSY = "busy"
    LIMITED = "limited"
    BREAKS = "breaks"
    HANGS = "hangs"
    BABBLES = "babbles"


class Moody(Endpoint):
    """Answers as `search` does, when it is in the mood, and notes what it was asked."""

    def __init__(self, history: History, dice: random.Random) -> None:
        super().__init__(search)
        self.mood = Mood.WELL
        self._history = history
        self._dice = dice

    def reply(self, received: Received) -> tuple[int, Any]:
        """Answer a request.

        Raises:
            ConnectionAbortedError: the connection is to be closed without an answer.
        """
        began, mood = self._history.now(), self.mood
        if self._dice.random() > BAD:
            mood = Mood.WELL
        self._history.note(
            Asked,
            "endpoint",
            began,
            run=received.headers.get("x-reteval-run", ""),
            text=received.text,
            answered=mood is Mood.WELL,
        )
        time.sleep(HANG_S if mood is Mood.HANGS else self._take_time(received.text))
        if mood is Mood.BREAKS:
            raise ConnectionAbortedError
        wrong = {Mood.BUSY: (503, {}), Mood.LIMITED: (429, {}), Mood.BABBLES: (200, {"error": "?"})}
        return wrong.get(mood) or self.answer(received.text)

    def _take_time(self, text: str) -> float:
        """Return how long an answer takes: runs of the first team are long ones."""
        is_long = int(text.rpartition(" ")[2]) < TEAM
        return self._dice.uniform(*LATENCY_S) * (LONGER if is_long else 1)


class Rig(Struct, frozen=True):
    """The parts; `api_way` and `worker_way` lead from them to the store."""

    cluster: Cluster
    api_way: ChaosProxy
    worker_way: ChaosProxy
    endpoint: Moody
    clock: str
    """A library that shifts a program's clock; empty where there is none."""
    sizes: Iterator[int] = msgspec.field(default_factory=lambda: cycle(SHARDS))

    def client(self, *, retry: Retry | None = None) -> Client:
        """Open a client that sends everything once, unless told otherwise."""
        retry = retry or Retry(pauses_s=())
        return Client(self.cluster.url, timeout_s=IMPATIENT_S, retry=retry)

    def runners(self) -> list[Part]:
        """The workers of runs; the first worker serves the interactive queue."""
        return self.cluster.workers[1:]

    def start_worker(self, queue: str = RUNS, *, shift_s: int = 0) -> Part:
        """Start a worker, whose clock may be wrong."""
        environ = {"RETEVAL_SHARD_SIZE": str(next(self.sizes))}
        if self.clock:
            environ |= {"LD_PRELOAD": self.clock, "CLOCK_SHIFT_S": str(shift_s)}
        return self.cluster.start_worker(self.worker_way.url, queue=queue, **environ)

    def replace(self, worker: Part, *, shift_s: int = 0) -> None:
        """Let another worker take the place of one."""
        worker.kill()
        self.cluster.workers.remove(worker)
        self.start_worker(shift_s=shift_s)

    def launch_api(self) -> None:
        """Start the API anew, whatever the store does meanwhile."""
        self.cluster.launch_api(self.api_way.url)

    def revive(self) -> list[str]:
        """Start again what ended by itself, as a supervisor would; return what it was."""
        ended = [worker for worker in self.runners() if not worker.alive]
        for worker in ended:
            self.replace(worker)
        names = [f"worker with {worker.process.returncode}" for worker in ended]
        if not self.cluster.api.alive:
            names.append(f"api with {self.cluster.api.process.returncode}")
            self.launch_api()
        return names


@contextmanager
def set_up(
    folder: Path, history: History, dice: random.Random, *, clock: str = ""
) -> Iterator[Rig]:
    """Run a deployment with workers for both queues, each part behind its proxy."""
    with (
        serve(Moody(history, dice)) as endpoint,
        run_cluster(folder) as cluster,
        proxy_to(cluster.store.url) as api_way,
        proxy_to(cluster.store.url) as worker_way,
    ):
        rig = Rig(cluster, api_way, worker_way, endpoint, clock)
        cluster.start_api(api_way.url)
        for queue in (INTERACTIVE, *[RUNS] * WORKERS):
            rig.start_worker(queue)
        yield rig
        cluster.stop_workers()
