"""A deployment of real processes that a test may kill: a store, an API and workers.

Each runs as an operator would start it; nothing restarts what dies but the test.
"""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Self

from reteval import Client
from service.embedded import EmbeddedServer
from service.locks import wait_until
from service.queue import RUNS
from service.sessions import kill_session, tied
from service.standalone import claim_port, secret_key
from tests.service_process import clean_environment, find_descendants, is_alive

ROOT = Path(__file__).parents[2]
LEASE_S = 3
PATIENCE_S = 60.0
"""Far longer than anything takes that a test waits for."""


class Part:
    """One program of the deployment, which leads a session of its own."""

    def __init__(self, argv: list[str], env: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                tied([sys.executable, "-m", *argv], parent=os.getpid()),
                cwd=ROOT,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether that process runs."""
        return self.process.poll() is None

    def has_said(self, event: str) -> bool:
        """Whether its log has the event."""
        return f'"event": "{event}"' in self.log.read_text(errors="replace")

    def horses(self) -> list[int]:
        """The processes forked for the jobs under way."""
        return [pid for pid in find_descendants(self.pid) if is_alive(pid)]

    def count_files(self) -> int:
        """Count the open files and connections of it and its forks."""
        folders = [Path(f"/proc/{pid}/fd") for pid in (self.pid, *self.horses())]
        return sum(len(list(folder.iterdir())) for folder in folders)

    def send(self, number: signal.Signals) -> None:
        """Signal the process itself, and none of its forks."""
        self.process.send_signal(number)

    def send_horses(self, number: signal.Signals) -> list[int]:
        """Signal the forks only; return those that there were."""
        hit = []
        for pid in self.horses():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                hit.append(pid)
        return hit

    def kill(self) -> None:
        """Kill -9 everything of it, and take its end note."""
        kill_session(self.pid)
        self.process.wait()


class Cluster:
    """A store in `folder`, an API at `url`, and the workers started so far."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.store = EmbeddedServer(folder / "store")
        self.workers: list[Part] = []
        self._numbers = itertools.count()
        self._folder = folder
        self._environ = environ
        self.port = claim_port("127.0.0.1", 0)
        self._api: Part | None = None

    @property
    def url(self) -> str:
        """Where the API is, dead or alive."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> Part:
        """The API's process."""
        assert self._api is not None
        return self._api

    @property
    def store_pid(self) -> int:
        """The store's process."""
        return int((self._folder / "store" / "valkey.pid").read_text())

    def __enter__(self) -> Self:
        self.store.start()
        try:
            self.start_api()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exc: object) -> None:
        for part in (*self.workers, *filter(None, [self._api])):
            part.kill()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.store_pid, signal.SIGCONT)
        self.store.stop()

    def client(self) -> Client:
        """Open a client of the API."""
        return Client(self.url)

    def start_api(self, store_url: str = "", *, log: Path | None = None) -> Part:
        """Start the API and wait until it serves; `store_url` may lead through a proxy."""
        self.launch_api(store_url, log=log)
        assert wait_until(self.ready, PATIENCE_S), self.api.log.read_text()
        return self.api

    def launch_api(self, store_url: str = "", *, log: Path | None = None) -> None:
        """Start the API in the place of the one that ran, and do not wait for it."""
        if self._api is not None:
            self._api.kill()
        self._api = Part(["service", "serve"], self.environment(store_url), log or self._log("api"))

    def start_worker(
        self, store_url: str = "", *, queue: str = RUNS, log: Path | None = None, **environ: str
    ) -> Part:
        """Start a worker; `store_url` may lead through a proxy, `log` and `environ` are its own."""
        env = self.environment(store_url) | environ
        place = log or self._log(f"worker-{next(self._numbers)}")
        part = Part(["worker", "--queue", queue], env, place)
        self.workers.append(part)
        return part

    def stop_workers(self) -> None:
        """Kill every worker that is left."""
        for part in self.workers:
            part.kill()
        self.workers.clear()

    def ready(self) -> bool:
        """Whether the API says that it can work."""
        with contextlib.suppress(OSError):
            address = f"{self.url}/readyz"
            with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own
                return bool(answer.status == HTTPStatus.OK)
        return False

    def environment(self, store_url: str = "") -> dict[str, str]:
        """The environment of a part."""
        decided = {
            "RETEVAL_AUTH": "off",
            "RETEVAL_EGRESS": "loopback",
            "RETEVAL_PORT": str(self.port),
            "RETEVAL_REDIS_URL": store_url or self.store.url,
            "RETEVAL_SECRET_KEY": secret_key(self._folder / "store"),
            "RETEVAL_LEASE_S": str(LEASE_S),
            "RETEVAL_IDEMPOTENCY_LEASE_S": str(LEASE_S),
            "RETEVAL_REAPER_INTERVAL_S": "0.3",
        }
        return clean_environment() | decided | self._environ

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


@contextlib.contextmanager
def run_cluster(folder: Path, *, workers: int = 0, **environ: str) -> Iterator[Cluster]:
    """Run a deployment until the block ends."""
    with Cluster(folder, **environ) as cluster:
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
