import io

import pytest

from reteval.cli.progress import Bar, Lines, meter_for, summary
from reteval.contract.runs import Progress, Run, RunStatus
from tests.unit.reteval.documents import a_run


class Clock:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def a_running_run(done: int, total: int = 100, failed: int = 0, eta_s: float | None = None) -> Run:
    """Return a run in progress."""
    progress = Progress(done=done, total=total, failed=failed, eta_s=eta_s)
    return a_run(status=RunStatus.RUNNING, progress=progress)


def test_bar_redraws_one_line() -> None:
    """Each state replaces the one before, blanks covering what was longer; closing ends it."""
    stream, clock = io.StringIO(), Clock()
    bar = Bar(stream, clock, columns=80)
    bar.show(a_running_run(0, failed=12))
    clock.now = 10.0
    bar.show(a_running_run(50))
    bar.show(a_run(status=RunStatus.COMPLETED, progress=Progress(done=100, total=100, failed=0)))
    bar.close()
    first, second, third = stream.getvalue().removeprefix("\r").split("\r")
    assert f"[{'-' * 24}] running 0/100, 12 failed" == first
    assert f"[{'#' * 12}{'-' * 12}] running 50/100, 5.0/s, 10 s left" == second
    assert f"[{'#' * 24}] completed 100/100, 10.0/s" == third.rstrip(" \n")
    assert (len(second), "\n") == (len(third) - 1, third[-1])


def test_bar_never_wraps() -> None:
    """A line stays narrower than the terminal, however narrow that is."""
    stream = io.StringIO()
    Bar(stream, Clock(), columns=20).show(a_running_run(5))
    assert 19 == len(stream.getvalue().removeprefix("\r"))


def test_bar_before_anything_is_planned() -> None:
    """A run without a plan yet shows an empty bar."""
    stream = io.StringIO()
    bar = Bar(stream, Clock(), columns=80)
    bar.close()
    assert "" == stream.getvalue()
    bar.show(a_running_run(0, total=0))
    assert "-] running 0/0" in stream.getvalue()


def test_lines_are_few() -> None:
    """A log gets a line at each change of status and every five seconds between."""
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, clock)
    for now, run in (
        (0.0, a_run()),
        (1.0, a_running_run(10)),
        (2.0, a_running_run(20)),
        (5.9, a_running_run(50)),
        (6.0, a_running_run(60)),
        (7.0, a_running_run(70)),
    ):
        clock.now = now
        lines.show(run)
    lines.close()
    expected = (
        "run_1 queued 0/10\n"
        "run_1 running 10/100, 10.0/s, 9 s left\n"
        "run_1 running 60/100, 10.0/s, 4 s left\n"
    )
    assert expected == stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(-1, "0 s"), (0.4, "0 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (7_260, "2 h 1 min")],
)
def test_summary_prefers_the_estimate_of_the_service(seconds: float, expected: str) -> None:
    """The service knows more than the rate seen here; times are told in two units at most."""
    assert f"running 5/100, 2.0/s, {expected} left" == summary(a_running_run(5, eta_s=seconds), 2.0)


def test_meter_for_each_stream() -> None:
    """Only a terminal gets the bar."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    meters = [meter_for(stream, Clock()) for stream in (Terminal(), io.StringIO())]
    assert [Bar, Lines] == [type(meter) for meter in meters]
