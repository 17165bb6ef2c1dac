"""A store behind a relay that can stop at a command: before it, or before its reply."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import unquote, urlsplit

Side = Literal["command", "reply"]
_CHUNK = 65_536


class HeldStore:
    """Relays connections; from the command that carries `word` on, one side hears nothing more."""

    def __init__(self, url: str) -> None:
        self._target = url
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._word = b""
        self._side: Side = "command"
        self._open: list[socket.socket] = [self._listener]
        self.held = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Address of the relay."""
        return f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"

    def hold(self, word: bytes, side: Side) -> None:
        """Stop at the next command that carries the word."""
        self.held.clear()
        self._side, self._word = side, word

    def close(self) -> None:
        """Cut every connection."""
        for end in self._open:
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = _connect(self._target)
            self._open += [near, far]
            stopped = threading.Event()
            threading.Thread(target=self._send, args=(near, far, stopped), daemon=True).start()
            threading.Thread(target=self._answer, args=(far, near, stopped), daemon=True).start()

    def _send(self, near: socket.socket, far: socket.socket, stopped: threading.Event) -> None:
        for chunk in _read(near):
            if self._word and self._word in chunk:
                stopped.set()
            if not stopped.is_set() or self._side == "reply":
                far.sendall(chunk)
            if stopped.is_set():
                self.held.set()

    def _answer(self, far: socket.socket, near: socket.socket, stopped: threading.Event) -> None:
        for chunk in _read(far):
            if not stopped.is_set():
                near.sendall(chunk)


@contextmanager
def hold_store(url: str) -> Iterator[HeldStore]:
    """Open a relay before a store."""
    relay = HeldStore(url)
    try:
        yield relay
    finally:
        relay.close()


def _connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        end = socket.socket(socket.AF_UNIX)
        end.connect(unquote(parts.path))
        return end
    return socket.create_connection((parts.hostname or "", parts.port or 6379))


def _read(end: socket.socket) -> Iterator[bytes]:
    while True:
        try:
            chunk = end.recv(_CHUNK)
        except OSError:
            return
        if not chunk:
            return
        yield chunk
