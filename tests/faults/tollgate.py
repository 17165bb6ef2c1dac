"""A way to the store that closes at one command, so that a test can kill between two steps.

The program under test is given the gate's address. Armed with a script's name, the gate holds
the first such call: before the store sees it, or after, when the store has done it and only the
answer is missing.
"""

import contextlib
import hashlib
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Final, Self
from urllib.parse import quote, unquote

from service.store.scripts import compose

CHUNK: Final = 1 << 16
UNKNOWN_SCRIPT: Final = b"-NOSCRIPT"


class Side(Enum):
    """Where a call is held."""

    BEFORE = "before"
    AFTER = "after"


class Tollgate:
    """A proxy for the store's socket; `held` is set once the call it is armed for waits."""

    def __init__(self, store_url: str) -> None:
        self.held = threading.Event()
        self._target = unquote(store_url.removeprefix("unix://"))
        self._folder = Path(tempfile.mkdtemp(prefix="reteval-gate-"))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / "gate.sock"))
        self._listener.listen(64)
        self._armed: tuple[bytes, Side] | None = None
        self._lock = threading.Lock()
        self._open = threading.Event()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The store's address for the program under test."""
        return f"unix://{quote(str(self._folder / 'gate.sock'))}"

    def arm(self, script: str, side: Side) -> None:
        """Hold the next call of a script."""
        text = compose(files("service.store") / "lua", script)
        self.held.clear()
        self._open.clear()
        self._armed = hashlib.sha1(text.encode()).hexdigest().encode(), side  # noqa: S324 - redis's

    def release(self) -> None:
        """Let the held call go on, if anybody still waits for it."""
        self._open.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        """Cut every connection."""
        self.release()
        for end in (self._listener, *self._sockets):
            _cut(end)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._target)
                self._sockets += (near, far)
                answering = threading.Event()
                for pump, ends in ((self._ask, (near, far)), (self._answer, (far, near))):
                    threading.Thread(target=pump, args=(*ends, answering), daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket, answering: threading.Event) -> None:
        """Carry commands; hold the armed one, or have its answer held."""
        for data in _read(near):
            side = self._match(data)
            if side is Side.AFTER:
                answering.set()
            elif side is Side.BEFORE:
                self._hold()
            _write(far, data)
        _cut(far)

    def _answer(self, far: socket.socket, near: socket.socket, answering: threading.Event) -> None:
        """Carry answers; hold the one that the armed command got, unless it has to be sent anew."""
        for data in _read(far):
            if answering.is_set():
                answering.clear()
                if not data.startswith(UNKNOWN_SCRIPT):
                    self._armed = None
                    self._hold()
            _write(near, data)
        _cut(near)

    def _match(self, data: bytes) -> Side | None:
        with self._lock:
            if self._armed is None or self._armed[0] not in data[:200]:
                return None
            side = self._armed[1]
            if side is Side.BEFORE:
                self._armed = None
            return side

    def _hold(self) -> None:
        self.held.set()
        self._open.wait()


def _read(end: socket.socket) -> Iterator[bytes]:
    with contextlib.suppress(OSError):
        while data := end.recv(CHUNK):
            yield data


def _write(end: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        end.sendall(data)


def _cut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
