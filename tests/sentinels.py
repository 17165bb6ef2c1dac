"""A leading server and its copy, and a sentinel over both: real programs on loopback ports."""

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import redis
from msgspec import Struct

from service.embedded import find_binary

NAME = "results"
PASSWORD = "sentinels-own"  # noqa: S105 - of a server that lives for one test


class Watched(Struct, frozen=True):
    """The URL of the sentinel, and the leading server's process."""

    url: str
    leader: "subprocess.Popen[bytes]"
    copy: int


@contextlib.contextmanager
def run_sentinels(folder: Path) -> Iterator[Watched]:
    """Start all three, wait until the copy is complete, and kill them at the end."""
    leading, copying, watching = _free_ports(3)
    (folder / "sentinel.conf").write_text(
        f"port {watching}\nrequirepass {PASSWORD}\nsentinel monitor {NAME} 127.0.0.1 {leading} 1\n"
        f"sentinel down-after-milliseconds {NAME} 500\nsentinel failover-timeout {NAME} 2000\n"
    )
    with contextlib.ExitStack() as stack:
        leader = stack.enter_context(_server(folder, leading))
        stack.enter_context(_server(folder, copying, "--replicaof", f"127.0.0.1 {leading}"))
        _wait_for(copying, "replication", "master_link_status", "up")
        stack.enter_context(_program(folder, str(folder / "sentinel.conf"), "--sentinel"))
        state = {"name": NAME, "status": "ok", "address": f"127.0.0.1:{leading}"}
        seen = state | {"slaves": 1, "sentinels": 1}
        _wait_for(watching, "sentinel", "master0", seen, password=PASSWORD)
        url = f"redis+sentinel://127.0.0.1:{watching}/{NAME}/0?sentinel_password={PASSWORD}"
        yield Watched(url, leader, copying)


@contextlib.contextmanager
def run_copy(folder: Path, leader: "redis.Redis") -> Iterator[str]:
    """Start a copy of a server that may have had no port until now; yield its URL once complete."""
    copying, leading = _free_ports(2)
    leader.config_set("repl-diskless-sync-delay", 0)
    leader.config_set("port", leading)
    with _server(folder, copying, "--replicaof", f"127.0.0.1 {leading}"):
        _wait_for(copying, "replication", "master_link_status", "up")
        yield f"redis://127.0.0.1:{copying}/0"


def _server(
    folder: Path, port: int, *more: str
) -> "contextlib.AbstractContextManager[subprocess.Popen[bytes]]":
    return _program(
        folder, "--port", str(port), "--save", "", "--repl-diskless-sync-delay", "0", *more
    )


@contextlib.contextmanager
def _program(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [str(find_binary()), *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _wait_for(port: int, section: str, field: str, value: object, *, password: str = "") -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with (
            contextlib.suppress(redis.RedisError),
            redis.Redis(port=port, password=password or None) as client,
        ):
            if client.info(section).get(field) == value:
                return
        time.sleep(0.05)
    raise TimeoutError(f"port {port}: {field} is not {value!r}")


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [sock.getsockname()[1] for sock in held]
