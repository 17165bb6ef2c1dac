"""The supervisor: separate programs, restarted when they die, stopped together."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from service.embedded import EmbeddedServer
from service.supervisor import Pace, Program, Supervisor

FAST = Pace(first=0.02, longest=0.08, healthy=60.0, grace=0.5, watch=0.02)

# Notes each start and each SIGTERM in a file, then ends when told.
ORDERLY = """
import os, signal, sys, time
def note(word):
    with open(sys.argv[1], "a") as log:
        log.write(word + " " + sys.argv[2] + "\\n")
def end(*_):
    note("stopped")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
note("started")
while True:
    time.sleep(0.01)
"""
STUBBORN = ORDERLY.replace("    sys.exit(0)\n", "")
DYING = ORDERLY.partition("while True")[0] + "sys.exit(3)\n"


def program(log: Path, name: str, source: str = ORDERLY) -> Program:
    """A stand-in program that writes what happens to it into `log`."""
    return Program(
        name=name,
        argv=(sys.executable, "-S", "-c", source, str(log), name),
        env={"PATH": os.environ["PATH"]},
    )


def lines(log: Path) -> list[str]:
    """What the programs have noted so far."""
    return log.read_text().splitlines() if log.exists() else []


async def until(reached: Callable[[], bool]) -> None:
    """Wait for a condition, far longer than it should take."""
    async with asyncio.timeout(15):
        while not reached():
            await asyncio.sleep(0.01)


async def drive(
    supervisor: Supervisor, reached: Callable[[], bool], act: Callable[[], object]
) -> None:
    """Run the supervisor, act once the condition holds, and wait for the end."""
    running = asyncio.create_task(supervisor.run())
    await until(reached)
    act()
    async with asyncio.timeout(15):
        await running


def test_stop_ends_stages_in_reverse(tmp_path: Path) -> None:
    """The workers end before the API, so that nothing they still say is lost."""
    log = tmp_path / "log"
    supervisor = Supervisor(
        [[program(log, "api")], [program(log, "worker-1"), program(log, "worker-2")]],
        report=lambda _line: None,
        pace=FAST,
    )
    asyncio.run(drive(supervisor, lambda: len(lines(log)) == 3, supervisor.stop))
    assert sorted(lines(log)[3:5]) == ["stopped worker-1", "stopped worker-2"]
    assert lines(log)[5:] == ["stopped api"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_stops_everything(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, a service manager's stop and a closed terminal all end the programs in order."""
    log = tmp_path / "log"
    supervisor = Supervisor([[program(log, "api")]], report=lambda _line: None, pace=FAST)
    asyncio.run(drive(supervisor, lambda: bool(lines(log)), lambda: os.kill(os.getpid(), number)))
    assert lines(log) == ["started api", "stopped api"]


def test_dead_program_starts_again_with_growing_pauses(tmp_path: Path) -> None:
    """A program that keeps dying is restarted, each time later, up to the longest pause."""
    log, reports = tmp_path / "log", list[str]()
    supervisor = Supervisor([[program(log, "api", DYING)]], report=reports.append, pace=FAST)
    asyncio.run(drive(supervisor, lambda: len(reports) >= 4, supervisor.stop))
    assert reports[:4] == [
        f"api ended with exit code 3; it starts again in {pause} s"
        for pause in (0.02, 0.04, 0.08, 0.08)
    ]


def test_healthy_program_starts_again_at_once(tmp_path: Path) -> None:
    """A program that had run well is not made to wait for its earlier deaths."""
    log, reports = tmp_path / "log", list[str]()
    pace = Pace(first=0.02, longest=5.0, healthy=0.0, grace=0.5, watch=0.02)
    supervisor = Supervisor([[program(log, "api", DYING)]], report=reports.append, pace=pace)
    asyncio.run(drive(supervisor, lambda: len(reports) >= 3, supervisor.stop))
    assert {report.rpartition(" in ")[2] for report in reports} == {"0.02 s"}


def test_killed_program_is_reported_and_restarted(tmp_path: Path) -> None:
    """A kill -9 of a part is named by its signal, and the part comes back."""
    log, reports = tmp_path / "log", list[str]()
    supervisor = Supervisor([[program(log, "api")]], report=reports.append, pace=FAST)

    async def kill_once() -> None:
        running = asyncio.create_task(supervisor.run())
        await until(lambda: len(lines(log)) == 1)
        supervisor._processes["api"].kill()
        await until(lambda: len(lines(log)) == 2)
        supervisor.stop()
        await running

    asyncio.run(kill_once())
    assert reports == ["api was ended by SIGKILL; it starts again in 0.02 s"]
    assert lines(log) == ["started api", "started api", "stopped api"]


def test_stubborn_program_is_killed_after_the_grace(tmp_path: Path) -> None:
    """A program that ignores SIGTERM does not hold up the end."""
    log = tmp_path / "log"
    supervisor = Supervisor([[program(log, "api", STUBBORN)]], report=lambda _line: None, pace=FAST)
    asyncio.run(drive(supervisor, lambda: bool(lines(log)), supervisor.stop))
    assert lines(log) == ["started api", "stopped api"]
    assert supervisor._processes["api"].returncode == -signal.SIGKILL


def test_second_stop_skips_the_grace(tmp_path: Path) -> None:
    """A second Ctrl-C kills at once, however long the grace is."""
    log = tmp_path / "log"
    supervisor = Supervisor(
        [[program(log, "api", STUBBORN)]], report=lambda _line: None, pace=Pace(grace=3600.0)
    )

    async def stop_twice() -> None:
        running = asyncio.create_task(supervisor.run())
        await until(lambda: bool(lines(log)))
        supervisor.stop()
        await until(lambda: len(lines(log)) == 2)
        supervisor.stop()
        async with asyncio.timeout(15):
            await running

    asyncio.run(stop_twice())
    assert supervisor._processes["api"].returncode == -signal.SIGKILL


def test_stop_during_a_pause_starts_nothing(tmp_path: Path) -> None:
    """A program that waits for its restart is not started for the sake of being stopped."""
    log, reports = tmp_path / "log", list[str]()
    pace = Pace(first=3600.0, longest=3600.0)
    supervisor = Supervisor([[program(log, "api", DYING)]], report=reports.append, pace=pace)
    asyncio.run(drive(supervisor, lambda: bool(reports), supervisor.stop))
    assert lines(log) == ["started api"]


def test_missing_program_is_reported(tmp_path: Path) -> None:
    """A command that does not exist is tried again like any other, and the rest runs on."""
    log, reports = tmp_path / "log", list[str]()
    missing = Program(name="worker", argv=("/no/such/program",), env={})
    supervisor = Supervisor([[program(log, "api")], [missing]], report=reports.append, pace=FAST)
    asyncio.run(drive(supervisor, lambda: bool(lines(log) and reports), supervisor.stop))
    assert reports[0] == "worker ended with exit code 127; it starts again in 0.02 s"


def test_cancelled_run_stops_its_programs(tmp_path: Path) -> None:
    """Whatever ends the supervisor, its programs do not outlive it."""
    log = tmp_path / "log"
    supervisor = Supervisor([[program(log, "api")]], report=lambda _line: None, pace=FAST)

    async def cancel() -> None:
        running = asyncio.create_task(supervisor.run())
        await until(lambda: bool(lines(log)))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert lines(log) == ["started api", "stopped api"]


def test_dead_store_starts_again(tmp_path: Path) -> None:
    """A killed store comes back with its data, and is stopped last."""
    reports = list[str]()
    with EmbeddedServer(tmp_path / "data") as store:
        with redis.Redis.from_url(store.url) as client:
            client.set("key", "value")
        supervisor = Supervisor([], report=reports.append, store=store, pace=FAST)

        async def kill_store() -> None:
            running = asyncio.create_task(supervisor.run())
            os.kill(int((tmp_path / "data" / "valkey.pid").read_text()), signal.SIGKILL)
            await until(lambda: bool(reports) and store.running())
            with redis.Redis.from_url(store.url) as client:
                await until(lambda: answers(client))
                assert client.get("key") == b"value"
            supervisor.stop()
            await running

        asyncio.run(kill_store())
        assert not store.running()
    assert reports == [
        "store ended, last log line 'Ready to accept connections unix'; it starts again in 0.02 s"
    ]


def test_store_that_cannot_start_is_tried_again(tmp_path: Path) -> None:
    """A store that does not come back is reported each time, with growing pauses."""
    reports = list[str]()
    store = EmbeddedServer(tmp_path / "data", binary=Path("/no/server"))
    supervisor = Supervisor([], report=reports.append, store=store, pace=FAST)
    asyncio.run(drive(supervisor, lambda: len(reports) >= 4, supervisor.stop))
    assert reports[1].startswith("store: '/no/server' cannot be run")
    assert reports[2].endswith("it starts again in 0.04 s")


def answers(client: redis.Redis) -> bool:
    """Whether the server serves already."""
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
