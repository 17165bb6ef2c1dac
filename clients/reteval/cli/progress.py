"""Showing how far a run is: a bar that redraws itself on a terminal, plain lines elsewhere."""

import shutil
from collections.abc import Callable
from typing import Final, Protocol, TextIO

from reteval.contract.runs import Progress, RunStatus

BAR_CELLS: Final = 24
LINE_EVERY_S: Final = 5.0


class Watched(Protocol):
    """What can be seen to go on: a run, a suite's run, a function that is evaluated."""

    @property
    def id(self) -> str:
        """What it is called."""

    @property
    def status(self) -> RunStatus:
        """Whether it goes on."""

    @property
    def progress(self) -> Progress:
        """How far it is."""


class Meter(Protocol):
    """Something that shows the states of a run as they are seen."""

    def show(self, run: Watched) -> None:
        """Show a state."""

    def close(self) -> None:
        """Leave the cursor at the start of a line."""


def meter_for(stream: TextIO, clock: Callable[[], float]) -> Meter:
    """Return the meter that suits `stream`."""
    if stream.isatty():
        return Bar(stream, clock, columns=shutil.get_terminal_size().columns)
    return Lines(stream, clock)


class Rate:
    """Requests a second since the first state seen."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None

    def per_s(self, done: int) -> float | None:
        """Return the rate so far; None until it can be told."""
        now = self._clock()
        if self._first is None:
            self._first = (now, done)
        since, already = self._first
        return (done - already) / (now - since) if now > since and done > already else None


class Bar:
    """One line of a terminal, redrawn; never wider than it."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], *, columns: int) -> None:
        self._stream = stream
        self._rate = Rate(clock)
        self._columns = columns
        self._width = 0

    def show(self, run: Watched) -> None:
        """Redraw the line."""
        progress = run.progress
        cells = BAR_CELLS * progress.done // progress.total if progress.total else 0
        bar = "#" * cells + "-" * (BAR_CELLS - cells)
        line = f"[{bar}] {summary(run, self._rate.per_s(progress.done))}"[: self._columns - 1]
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        """End the line, if there is one."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()


class Lines:
    """A line when the status changes and every few seconds between; for logs."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._rate = Rate(clock)
        self._last: tuple[str, float] | None = None

    def show(self, run: Watched) -> None:
        """Write a line if it is time for one."""
        now = self._clock()
        rate = self._rate.per_s(run.progress.done)
        if self._last is not None:
            status, written = self._last
            if run.status.value == status and now - written < LINE_EVERY_S:
                return
        self._last = (run.status.value, now)
        self._stream.write(f"{run.id} {summary(run, rate)}\n")
        self._stream.flush()

    def close(self) -> None:
        """Do nothing: each line is complete."""


def summary(run: Watched, rate_per_s: float | None) -> str:
    """Say in words how far a run is: `running 120/500, 48.0/s, 8 s left, 2 failed`."""
    progress = run.progress
    words = [f"{run.status.value} {progress.done}/{progress.total}"]
    if rate_per_s is not None:
        words.append(f"{rate_per_s:.1f}/s")
    left_s = progress.eta_s
    if left_s is None and rate_per_s:
        left_s = (progress.total - progress.done) / rate_per_s
    if left_s is not None and not run.status.terminal:
        words.append(f"{_duration(left_s)} left")
    if progress.failed:
        words.append(f"{progress.failed} failed")
    return ", ".join(words)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
