"""A soak: clients and a nemesis for some seconds, then the rules over all that was noted."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from reteval import Client
from reteval.contract.results import Results
from reteval.contract.runs import Run
from reteval.errors import WaitTimeoutError
from reteval.retries import Retry
from tests.soak.checkers import check
from tests.soak.clients import Caller, digest
from tests.soak.history import (
    Asked,
    Compared,
    Events,
    Fault,
    Found,
    Healed,
    History,
    Read,
    pick,
)
from tests.soak.nemesis import Nemesis
from tests.soak.rig import Rig, set_up

CALLERS: Final = 4
END_S: Final = 90.0
"""Within this after healing each run must have ended; the lease is 3 s."""


class Verdict(Struct, frozen=True):
    """What a seed came to; `broken` holds the violations of each rule that was."""

    seed: int
    history: Path
    events: Events
    broken: dict[str, list[str]]

    def row(self) -> str:
        """Return a row of the table."""
        faults = [fault for fault in pick(self.events, Fault) if fault.who == "nemesis"]
        ends = Counter(str(found.status) for found in pick(self.events, Found))
        healed = max((it.ended for it in pick(self.events, Healed)), default=0.0)
        last = max((it.ended for it in pick(self.events, Read)), default=0.0)
        cells = (
            self.seed,
            len(faults),
            ", ".join(f"{count} {status}" for status, count in sorted(ends.items())),
            len(pick(self.events, Asked)),
            len(self.events),
            f"{max(0.0, last - healed):.1f}",
            "broken" if self.broken else "holds",
        )
        return f"| {' | '.join(map(str, cells))} |"


def soak(seed: int, seconds: float, folder: Path, *, clock: str = "") -> Verdict:
    """Run one seed; the history and the logs of all programs stay in `folder`."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    with History(folder / "history.jsonl") as history:
        with set_up(folder, history, fork(dice), clock=clock) as rig:
            callers = [Caller(number, rig, history, fork(dice)) for number in range(CALLERS)]
            over = threading.Event()
            with ThreadPoolExecutor(CALLERS) as pool:
                lives = [pool.submit(caller.live, over) for caller in callers]
                try:
                    Nemesis(rig, history, fork(dice)).rage(seconds)
                finally:
                    over.set()
                for life in lives:
                    life.result()
            look_back(rig, history, callers)
        events = history.read()
    return Verdict(seed, history.path, events, check(events))


def fork(dice: random.Random) -> random.Random:
    """Return dice of one's own, so that threads do not share any."""
    return random.Random(dice.random())  # noqa: S311 - as above


def look_back(rig: Rig, history: History, callers: list[Caller]) -> None:
    """Wait for everything to end, and take down what there is then."""
    with rig.client(retry=Retry()) as client:
        deadline = history.now() + END_S
        for run in client.runs():
            _await(client, run, history, deadline)
        for caller in callers:
            for comparison in caller.comparisons:
                began, left = history.now(), max(0.1, deadline - history.now())
                try:
                    it = client.wait_comparison(comparison, timeout_s=left)
                except WaitTimeoutError:
                    it = client.comparison(comparison)
                history.note(Compared, "judge", began, comparison=it.id, status=it.status)
        for run in client.runs():
            _take_down(client, run, history)


def _await(client: Client, run: Run, history: History, deadline: float) -> None:
    try:
        run = client.wait(run.id, timeout_s=max(0.1, deadline - history.now()))
    except WaitTimeoutError:
        return
    what = {"run": run.id, "status": run.status, "done": run.progress.done}
    history.note(Read, "judge", history.now(), **what)


def _take_down(client: Client, run: Run, history: History) -> None:
    began, document, rows = history.now(), b"", ()
    if run.status.terminal:
        document = client.results_document(run.id)
        rows = tuple(client.outcomes(run.id))
    history.note(
        Found,
        "judge",
        began,
        run=run.id,
        token=run.meta.get("token", ""),
        label=run.label,
        status=run.status,
        parent=run.parent or "",
        report=msgspec.json.decode(document, type=Results) if document else None,
        digest=digest(document) if document else "",
        rows=rows,
    )
