import socket
import time
from collections.abc import Iterator

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.chaos import ChaosProxy, Way, proxy_to


@pytest.fixture
def proxy(redis_url: str) -> Iterator[ChaosProxy]:
    """Stand between the tests and an empty server."""
    with proxy_to(redis_url) as opened:
        yield opened


@pytest.fixture
def client(proxy: ChaosProxy) -> Iterator[redis.Redis]:
    """Talk through the proxy, and try everything once only."""
    once = Retry(NoBackoff(), 0)
    with redis.Redis.from_url(proxy.url, socket_timeout=0.5, retry=once) as opened:
        yield opened


def test_passes_on(client: redis.Redis) -> None:
    """Values of any size come back as they were."""
    value = bytes(range(256)) * 4_000
    client.set("large", value)
    assert client.get("large") == value


def test_delay_slows_an_exchange(proxy: ChaosProxy, client: redis.Redis) -> None:
    """Each exchange takes at least the delay."""
    client.ping()
    proxy.delay(0.1)
    began = time.monotonic()
    client.ping()
    assert time.monotonic() - began >= 0.1


def test_freeze_holds_back_and_loses_nothing(proxy: ChaosProxy, client: redis.Redis) -> None:
    """A frozen store answers nobody; what was sent arrives after the thaw."""
    client.ping()
    proxy.freeze()
    with pytest.raises(redis.TimeoutError):
        client.set("held", 1)
    proxy.thaw()
    assert client.set("after", 1)
    assert proxy.accepted == 2


def test_cut_resets(proxy: ChaosProxy) -> None:
    """A cut connection ends with a reset, not with an end of file."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=2) as raw:
        raw.sendall(b"PING\r\n")
        assert raw.recv(64) == b"+PONG\r\n"
        proxy.cut()
        with pytest.raises(ConnectionResetError):
            raw.recv(64)


def test_cut_lets_in_again(proxy: ChaosProxy, client: redis.Redis) -> None:
    """After a cut the next command connects anew."""
    client.ping()
    proxy.cut()
    assert client.ping()
    assert proxy.accepted == 2


def test_refuse_until_accept(proxy: ChaosProxy, client: redis.Redis) -> None:
    """A refusing proxy is a closed port; afterwards the same address serves."""
    client.ping()
    proxy.refuse()
    for _ in range(2):
        with pytest.raises(redis.ConnectionError):
            client.ping()
    proxy.accept()
    assert client.ping()


def test_cut_answer_was_done(proxy: ChaosProxy, client: redis.Redis) -> None:
    """A command whose answer is torn has been executed; the one after it passes."""
    client.ping()
    proxy.cut_after(2)
    with pytest.raises(redis.ConnectionError):
        client.incr("count")
    assert client.get("count") == b"1"


def test_cut_command_was_not_done(proxy: ChaosProxy, client: redis.Redis) -> None:
    """A torn command never takes place."""
    client.ping()
    proxy.cut_after(10, Way.COMMANDS)
    with pytest.raises(redis.ConnectionError):
        client.incr("count")
    assert client.get("count") is None


def test_lead_to_leaves_open_connections(proxy: ChaosProxy, client: redis.Redis) -> None:
    """New connections go to the other store, here one that is not there."""
    client.ping()
    proxy.lead_to("redis://127.0.0.1:1/0")
    assert client.ping()
    proxy.cut()
    with pytest.raises(redis.ConnectionError):
        client.ping()


def test_dead_store_is_a_lost_connection() -> None:
    """A proxy whose store is gone takes the connection and drops it."""
    with proxy_to("redis://127.0.0.1:1/0") as proxy:
        once = Retry(NoBackoff(), 0)
        with (
            redis.Redis.from_url(proxy.url, socket_timeout=2, retry=once) as client,
            pytest.raises(redis.ConnectionError),
        ):
            client.ping()
