"""The nemesis: picks faults by seed, brings them about, and mends each after a while.

Runs in the thread that started the programs: they are tied to it.
"""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Final

from service.locks import wait_until
from tests.faults.cluster import PATIENCE_S, Part
from tests.soak.history import Drained, Fault, Healed, History
from tests.soak.rig import Mood, Rig

PAUSE_S: Final = (0.2, 1.5)
LAST_S: Final = ((0.1, 1.0), (0.5, 3.0), (5.0, 8.0))
"""Glitches, faults within a lease, and faults that outlast every lease."""
TWO: Final = 0.35
"""Share of faults that come with a second one."""
WEIGHTS: Final = (3, 1, 4, 1)
"""How often a fault is of a worker, the API, the store, the endpoint."""
HOUR_S: Final = 3600
FREEZING: Final = frozenset({"freeze worker", "freeze horse"})
SILENCING: Final = frozenset({"freeze store", "kill store", "refuse workers", "mute workers"})

Injury = Callable[[], AbstractContextManager[None]]


class Nemesis:
    """Does harm to a rig; what it chooses follows from its dice."""

    def __init__(self, rig: Rig, history: History, dice: random.Random) -> None:
        self._rig = rig
        self._history = history
        self._dice = dice
        self._workers: dict[str, Injury] = {
            "kill worker": self._kill_worker,
            "kill horse": self._kill_horse,
            "freeze worker": self._freeze_worker,
            "freeze horse": self._freeze_horse,
            "drain worker": self._drain_worker,
        }
        if rig.clock:
            self._workers["wrong clock"] = self._shift_clock
        self._api: dict[str, Injury] = {
            "kill api": self._kill_api,
            "end api": self._end_api,
            "freeze api": self._freeze_api,
        }
        self._store: dict[str, Injury] = {
            "kill store": self._kill_store,
            "freeze store": self._freeze_store,
            "slow store": self._slow_store,
            "tear answers": self._tear_answers,
            "refuse workers": self._refuse_workers,
            "mute workers": self._mute_workers,
            "refuse api": self._refuse_api,
        }
        self._moods: dict[str, Injury] = {
            f"endpoint {mood.value}": lambda mood=mood: self._upset(mood)
            for mood in Mood
            if mood is not Mood.WELL
        }

    def rage(self, seconds: float) -> None:
        """Do harm for so long, then let everything heal."""
        end = self._history.now() + seconds
        while (left := end - self._history.now()) > 0:
            time.sleep(min(left, self._dice.uniform(*PAUSE_S)))
            self.strike(min(left, self._dice.uniform(*self._dice.choice(LAST_S))))
            self._revive()
        self.heal()

    def strike(self, seconds: float) -> None:
        """Bring one fault about, or two of different parts at once, and mend them."""
        parts = [self._workers, self._api, self._store, self._moods]
        chosen = self._dice.choices(parts, WEIGHTS)
        if self._dice.random() < TWO:
            chosen.append(self._dice.choice([part for part in parts if part is not chosen[0]]))
        with ExitStack() as faults:
            for part in chosen:
                name = self._dice.choice([*part])
                faults.enter_context(self._last(name, part[name]))
            time.sleep(seconds)

    def heal(self) -> None:
        """See that every part works, and say so."""
        began = self._history.now()
        self._revive()
        wait_until(self._rig.cluster.ready, PATIENCE_S)
        self._history.note(Healed, "nemesis", began)

    @contextmanager
    def _last(self, name: str, injure: Injury) -> Iterator[None]:
        began = self._history.now()
        with injure():
            yield
        self._history.note(
            Fault,
            "nemesis",
            began,
            name=name,
            silences=name in SILENCING,
            freezes=name in FREEZING,
        )

    def _revive(self) -> None:
        for name in self._rig.revive():
            self._history.note(Fault, "nobody", self._history.now(), name=f"ended: {name}")

    def _victim(self) -> Part:
        return self._dice.choice(self._rig.runners())

    @contextmanager
    def _kill_worker(self) -> Iterator[None]:
        victim = self._victim()
        victim.kill()
        yield
        self._rig.replace(victim)

    @contextmanager
    def _kill_horse(self) -> Iterator[None]:
        self._victim().send_horses(signal.SIGKILL)
        yield

    @contextmanager
    def _freeze_worker(self) -> Iterator[None]:
        victim = self._victim()
        if victim.alive:
            victim.send(signal.SIGSTOP)
        frozen = victim.send_horses(signal.SIGSTOP)
        yield
        _wake([victim.pid, *frozen])

    @contextmanager
    def _freeze_horse(self) -> Iterator[None]:
        frozen = self._victim().send_horses(signal.SIGSTOP)
        yield
        _wake(frozen)

    @contextmanager
    def _drain_worker(self) -> Iterator[None]:
        """Tell a worker to end that has come so far that it can be told."""
        victim = self._victim()
        wait_until(lambda: victim.has_said("worker.started"), PATIENCE_S)
        victim.send(signal.SIGTERM)
        ending = threading.Thread(target=self._await_end, args=(victim, self._history.now()))
        ending.start()
        yield
        ending.join()
        self._rig.replace(victim)

    def _await_end(self, victim: Part, began: float) -> None:
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = victim.process.wait(PATIENCE_S)
        self._history.note(Drained, f"worker {victim.pid}", began, exit_code=code)

    @contextmanager
    def _shift_clock(self) -> Iterator[None]:
        self._rig.replace(self._victim(), shift_s=self._dice.choice((-HOUR_S, HOUR_S)))
        yield

    @contextmanager
    def _kill_api(self) -> Iterator[None]:
        self._rig.cluster.api.kill()
        yield
        self._rig.launch_api()

    @contextmanager
    def _end_api(self) -> Iterator[None]:
        self._rig.cluster.api.send(signal.SIGTERM)
        yield
        self._rig.launch_api()

    @contextmanager
    def _freeze_api(self) -> Iterator[None]:
        api = self._rig.cluster.api
        pids = [api.pid, *api.horses()]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        yield
        _wake(pids)

    @contextmanager
    def _kill_store(self) -> Iterator[None]:
        cluster = self._rig.cluster
        os.kill(cluster.store_pid, signal.SIGKILL)
        wait_until(lambda: not cluster.store.running(), PATIENCE_S)
        yield
        cluster.store.start()

    @contextmanager
    def _freeze_store(self) -> Iterator[None]:
        pid = self._rig.cluster.store_pid
        os.kill(pid, signal.SIGSTOP)
        yield
        _wake([pid])

    @contextmanager
    def _slow_store(self) -> Iterator[None]:
        ways = (self._rig.api_way, self._rig.worker_way)
        delay_s = self._dice.uniform(0.02, 0.2)
        for way in ways:
            way.delay(delay_s)
        yield
        for way in ways:
            way.delay(0.0)

    @contextmanager
    def _tear_answers(self) -> Iterator[None]:
        ways = (self._rig.api_way, self._rig.worker_way)
        for way in ways:
            way.cut_after(self._dice.randrange(2_000))
        yield
        for way in ways:
            way.cut()

    @contextmanager
    def _refuse_workers(self) -> Iterator[None]:
        self._rig.worker_way.refuse()
        yield
        self._rig.worker_way.accept()

    @contextmanager
    def _mute_workers(self) -> Iterator[None]:
        self._rig.worker_way.freeze()
        yield
        self._rig.worker_way.thaw()

    @contextmanager
    def _refuse_api(self) -> Iterator[None]:
        self._rig.api_way.refuse()
        yield
        self._rig.api_way.accept()

    @contextmanager
    def _upset(self, mood: Mood) -> Iterator[None]:
        self._rig.endpoint.mood = mood
        yield
        self._rig.endpoint.mood = Mood.WELL


def _wake(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
