"""The supervisor: runs separate programs, restarts a dead one, stops all of them together.

Each program leads its own session, so that Ctrl-C reaches the supervisor only. It knows no
program: what runs, and in which stages, is told.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from service.embedded import EmbeddedError, EmbeddedServer
from service.sessions import kill_session, tied


class Program(Struct, frozen=True, kw_only=True):
    """A child: its name in messages, its command line and its whole environment."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]


class Pace(Struct, frozen=True, kw_only=True):
    """Seconds: back-off from `first` to `longest`, forgotten after `healthy`; `grace` a stage."""

    first: float = 0.2
    longest: float = 10.0
    healthy: float = 30.0
    grace: float = 1.8
    watch: float = 0.25


class Supervisor:
    """Starts `stages` in order and stops them in reverse, each stage's programs together.

    The store, if given, is running already; it is started again when it dies and stopped last.
    `report` gets a line for each thing that an operator should see.
    """

    def __init__(
        self,
        stages: Sequence[Sequence[Program]],
        *,
        report: Callable[[str], None],
        store: EmbeddedServer | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._stages = [tuple(stage) for stage in stages]
        self._report = report
        self._store = store
        self._pace = pace or Pace()
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self) -> None:
        """Run until `stop` or a signal; a second one skips the grace. Needs the main thread."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for number in signals:
            loop.add_signal_handler(number, self.stop)
        watch = asyncio.create_task(self._watch_store())
        stages = [[asyncio.create_task(self._keep(p)) for p in stage] for stage in self._stages]
        try:
            await self._stopping.wait()
        finally:
            self._stopping.set()
            for programs, tasks in zip(reversed(self._stages), reversed(stages), strict=True):
                await self._end(programs, tasks)
            await watch
            if self._store is not None:
                await asyncio.to_thread(self._store.stop)
            for number in signals:
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Ask for the end; asked again, kill what still runs."""
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()

    async def _keep(self, program: Program) -> None:
        """Run the program, again after each death with a growing pause, until the end."""
        loop = asyncio.get_running_loop()
        pause = self._pace.first
        while not self._stopping.is_set():
            began = loop.time()
            process = await asyncio.create_subprocess_exec(
                *tied(program.argv, parent=os.getpid()),
                env=dict(program.env),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=2,  # our standard output carries one line, and that one is ours
                start_new_session=True,
            )
            self._processes[program.name] = process
            code = await process.wait()
            kill_session(process.pid)
            if self._stopping.is_set():
                return
            if loop.time() - began >= self._pace.healthy:
                pause = self._pace.first
            self._report(f"{program.name} {_ending(code)}; it starts again in {pause:g} s")
            await self._pause(pause)
            pause = min(2 * pause, self._pace.longest)

    async def _watch_store(self) -> None:
        """Start the store again when its server is gone, later each time if it does not last.

        Its data is in its files. On a full disk it ends at each write, until there is space.
        """
        loop = asyncio.get_running_loop()
        began, pause = loop.time(), self._pace.first
        while self._store is not None and not self._stopping.is_set():
            await self._pause(self._pace.watch)
            if self._stopping.is_set() or self._store.running():
                continue
            if loop.time() - began >= self._pace.healthy:
                pause = self._pace.first
            words = self._store.last_words()
            self._report(f"store ended, last log line {words!r}; it starts again in {pause:g} s")
            await self._pause(pause)
            if not self._stopping.is_set():
                await self._start_store(self._store)
            began, pause = loop.time(), min(2 * pause, self._pace.longest)

    async def _start_store(self, store: EmbeddedServer) -> None:
        try:
            await asyncio.to_thread(store.start)
        except EmbeddedError as exc:
            self._report(f"store: {exc}")

    async def _end(self, programs: Sequence[Program], tasks: Sequence[asyncio.Task[None]]) -> None:
        """SIGTERM to a stage's programs; SIGKILL to the sessions of those that overstay."""
        self._signal(programs, lambda pid: os.kill(pid, signal.SIGTERM))
        hurry = asyncio.create_task(self._hurry.wait())
        ended = asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.wait(
            (hurry, ended), timeout=self._pace.grace, return_when=asyncio.FIRST_COMPLETED
        )
        while not ended.done():
            self._signal(programs, kill_session)
            await asyncio.wait((ended,), timeout=self._pace.watch)
        hurry.cancel()

    def _signal(self, programs: Sequence[Program], send: Callable[[int], None]) -> None:
        for program in programs:
            process = self._processes.get(program.name)
            if process is not None and process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    send(process.pid)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _ending(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
