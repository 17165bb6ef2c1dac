"""Clients of a soak: each does by seed what teams do, and takes down what it was answered."""

import hashlib
import random
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from reteval.contract.runs import Run, RunStatus
from reteval.errors import ResponseError, RetevalError
from tests.faults.collection import make_test_set
from tests.soak.history import (
    Cancelled,
    Compared,
    Created,
    History,
    Listed,
    Read,
    Refused,
    Told,
    Uploaded,
)
from tests.soak.rig import TEAM, Rig

SIZE: Final = 80
"""Queries of a run: four shards."""
OPEN: Final = 3
"""Runs that a client leaves under way at once."""
TRIES: Final = 4
"""How often a creation without an answer is sent again."""
PAUSE_S: Final = (0.02, 0.4)
LANES: Final = (1, 4)
LIMITS: Final = {"timeout_s": 1.0, "retries": 1, "max_error_rate": 0.5}

T = TypeVar("T")


class Caller:
    """One team. Its queries are its own, so that what leaks to others can be told."""

    def __init__(self, number: int, rig: Rig, history: History, dice: random.Random) -> None:
        self.name = f"team-{number}"
        self.comparisons: list[str] = []
        self._rig = rig
        self._client = rig.client()
        self._history = history
        self._dice = dice
        self._tokens = 0
        self._runs: dict[str, Run] = {}
        began = history.now()
        made = self._client.upload(make_test_set(self.name, SIZE, first=TEAM * number))
        queries = tuple(self._client.queries(made.id))
        history.note(Uploaded, self.name, began, test_set=made.id, queries=queries)
        self._test_set = made.id
        self._acts: dict[Callable[[], None], int] = {
            self._create: 8,
            self._poll: 8,
            self._read: 4,
            self._cancel: 1,
            self._retry: 1,
            self._compare: 1,
            self._list: 1,
        }

    def live(self, over: threading.Event) -> None:
        """Do one thing after another until it is over."""
        acts, weights = [*self._acts], [*self._acts.values()]
        while not over.is_set():
            self._dice.choices(acts, weights)[0]()
            time.sleep(self._dice.uniform(*PAUSE_S))
        self._client.close()

    def _ask(self, call: str, ask: Callable[[], T], *, about: str = "") -> T | None:
        """Ask once; None where there is no answer, or it is a problem."""
        began = self._history.now()
        try:
            return ask()
        except ResponseError as exc:
            what = {"status": exc.status or 0, "code": exc.code or "", "about": about}
            self._history.note(Refused, self.name, began, call=call, **what)
        except RetevalError:
            pass
        return None

    def _token(self) -> dict[str, Any]:
        self._tokens += 1
        return {"label": self.name, "meta": {"token": f"{self.name}/{self._tokens}"}}

    def _create(self) -> None:
        """Start a run, again with the same key while nobody says whether it exists."""
        if sum(not run.status.terminal for run in self._runs.values()) >= OPEN:
            return self._poll()
        request = self._token() | {
            "test_set": self._test_set,
            "endpoint": {"url": self._rig.endpoint.url},
            "limits": LIMITS | {"concurrency": self._dice.choice(LANES)},
        }
        token = request["meta"]["token"]
        for _ in range(TRIES):
            began = self._history.now()
            run = self._ask("create", lambda: self._client.run(request, idempotency_key=token))
            self._history.note(Created, self.name, began, token=token, run=run.id if run else "")
            if run is not None:
                self._runs[run.id] = run
                if self._dice.random() > 0.2:  # else it is sent once more
                    return None
            time.sleep(self._dice.uniform(*PAUSE_S))
        return None

    def _poll(self) -> None:
        run = self._choose()
        if run is None:
            return
        began, wait = self._history.now(), self._dice.choice((None, None, 1))
        seen = self._ask("get", lambda: self._client.get(run.id, wait=wait), about=run.id)
        if seen is not None:
            self._see(seen, began)

    def _see(self, run: Run, began: float) -> None:
        done = run.progress.done
        self._history.note(Read, self.name, began, run=run.id, status=run.status, done=done)
        self._runs[run.id] = run

    def _read(self) -> None:
        run = self._choose(ended=True)
        if run is None:
            return self._poll()
        began = self._history.now()
        report = self._ask("results", lambda: self._client.results_document(run.id), about=run.id)
        if report is not None:
            self._history.note(Told, self.name, began, run=run.id, digest=digest(report))
        return None

    def _cancel(self) -> None:
        running = [run for run in self._runs.values() if run.status is RunStatus.RUNNING]
        run = self._dice.choice(running) if running else self._choose(ended=False)
        if run is None:
            return
        began = self._history.now()
        asked = self._ask("cancel", lambda: self._client.cancel(run.id), about=run.id)
        if asked is not None:
            self._history.note(Cancelled, self.name, began, run=run.id)
            self._see(asked, began)

    def _retry(self) -> None:
        """Have the unanswered requests of a run sent again, once: a retry has no key."""
        run = self._choose(ended=True)
        if run is None:
            return
        began, request = self._history.now(), self._token()
        child = self._ask("retry", lambda: self._client.retry(run.id, request), about=run.id)
        made = {"token": request["meta"]["token"], "parent": run.id}
        self._history.note(Created, self.name, began, run=child.id if child else "", **made)
        if child is not None:
            self._runs[child.id] = child

    def _compare(self) -> None:
        ended = [run.id for run in self._runs.values() if run.status.terminal]
        if len(ended) < 2:
            return
        baseline, candidate = self._dice.sample(ended, 2)
        request = {"baseline": baseline, "candidate": candidate}
        began = self._history.now()
        it = self._ask("compare", lambda: self._client.compare(request))
        if it is not None:
            self.comparisons.append(it.id)
            self._history.note(Compared, self.name, began, comparison=it.id, status=it.status)

    def _list(self) -> None:
        began = self._history.now()
        runs = self._ask("list", lambda: [*self._client.runs(label=self.name, limit=50)])
        if runs is not None:
            labels = tuple(run.label for run in runs)
            self._history.note(Listed, self.name, began, label=self.name, labels=labels)

    def _choose(self, *, ended: bool | None = None) -> Run | None:
        """Choose one of the runs, of those under way rather than of the ended ones."""
        runs = [run for run in self._runs.values() if ended is None or run.status.terminal is ended]
        recent = runs[-2 * OPEN :]
        return self._dice.choice(recent if self._dice.random() < 0.7 else runs) if runs else None


def digest(document: bytes) -> str:
    """Return what stands for a report in the history."""
    return hashlib.sha256(document).hexdigest()
