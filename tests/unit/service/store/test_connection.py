import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
import redis
from redis.exceptions import ResponseError

from service.errors import CorruptRecordError, StoreUnavailableError
from service.store.connection import PROMPT, STEADY, Connection, Patience
from tests.chaos import ChaosProxy, proxy_to

SHORT = Patience(total_s=0.4, reply_s=0.2, retries=50)
ONCE = Patience(total_s=2.0, reply_s=0.2, retries=0)

Command = Callable[[Connection], Awaitable[object]]


@pytest.fixture
def proxy(redis_url: str) -> Iterator[ChaosProxy]:
    """Stand between the tests and an empty server."""
    with proxy_to(redis_url) as opened:
        yield opened


async def fails_within(connection: Connection, seconds: float) -> None:
    """Ask once and check that the refusal comes in time."""
    began = time.monotonic()
    with pytest.raises(StoreUnavailableError):
        await connection.get("key")
    assert time.monotonic() - began < seconds


@pytest.mark.parametrize("fault", [ChaosProxy.freeze, ChaosProxy.refuse])
async def test_total_bounds_a_command(
    proxy: ChaosProxy, fault: Callable[[ChaosProxy], None]
) -> None:
    """Frozen or gone, however often a command is sent again: it ends when its time is over."""
    connection = Connection.open(proxy.url, patience=SHORT)
    await connection.set("key", "value")
    fault(proxy)
    await fails_within(connection, SHORT.total_s + 1)
    await connection.close()


async def test_patience_outlasts_a_restart(proxy: ChaosProxy) -> None:
    """A command sent while the store is away is answered once it is back."""
    connection = Connection.open(proxy.url, patience=STEADY)
    proxy.refuse()
    asking = asyncio.create_task(connection.set("key", "value"))
    await asyncio.sleep(0.3)
    proxy.accept()
    assert await asking
    await connection.close()


async def test_torn_reply_is_asked_for_again(proxy: ChaosProxy) -> None:
    """A connection cut in the middle of a reply goes unnoticed."""
    connection = Connection.open(proxy.url, patience=PROMPT)
    await connection.set("key", "value")
    proxy.cut_after(2)
    assert await connection.get("key") == b"value"
    await connection.close()


@pytest.mark.parametrize("anyio_backend", [("asyncio", {"use_uvloop": True})])
async def test_storm_of_resets_is_one_error(proxy: ChaosProxy, anyio_backend: object) -> None:
    """Wherever in a command the connection is reset, it is an unavailable store; on uvloop, too."""
    del anyio_backend
    storm = threading.Thread(target=cut_until, args=(proxy, calm := threading.Event()))
    storm.start()
    connections = [Connection.open(proxy.url, patience=ONCE) for _ in range(4)]

    async def write(connection: Connection) -> None:
        for _ in range(300):
            with contextlib.suppress(StoreUnavailableError):
                await connection.set("key", "value" * 1_000)

    try:
        await asyncio.gather(*map(write, connections))
    finally:
        calm.set()
        storm.join()
    for connection in connections:
        await connection.close()


def cut_until(proxy: ChaosProxy, calm: threading.Event) -> None:
    """Reset every connection again and again."""
    while not calm.wait(0.0005):
        proxy.cut()


async def test_no_retries_means_none(proxy: ChaosProxy) -> None:
    """Without retries the first lost connection is the end."""
    connection = Connection.open(proxy.url, patience=ONCE)
    await connection.set("key", "value")
    proxy.cut_after(2)
    await fails_within(connection, ONCE.total_s)
    await connection.close()


@pytest.mark.parametrize(
    "command",
    [
        lambda connection: connection.get("list"),
        lambda connection: connection.hgetall("list"),
        lambda connection: connection.run(
            connection.register("return redis.call('HGET', KEYS[1], 'field')"), ["list"], []
        ),
        lambda connection: connection.run(
            connection.register("return redis.call('GET', KEYS[1]) > 5"), ["text"], []
        ),
        lambda connection: connection.run(
            connection.register("return redis.call('HINCRBY', KEYS[1], 'word', 1)"), ["hash"], []
        ),
    ],
)
async def test_other_than_expected_is_corrupt(redis_url: str, command: Command) -> None:
    """A value of another type or form than ours is damage, in a script, too."""
    with redis.Redis.from_url(redis_url) as client:
        client.rpush("list", "a")
        client.set("text", "word")
        client.hset("hash", "word", "word")
    connection = Connection.open(redis_url, patience=PROMPT)
    with pytest.raises(CorruptRecordError):
        await command(connection)
    await connection.close()


async def test_own_mistake_is_not_the_stores(redis_url: str) -> None:
    """A command that the server does not understand is a defect of ours, and shows as one."""
    connection = Connection.open(redis_url, patience=PROMPT)
    with pytest.raises(ResponseError):
        await connection.expire("key", "soon")  # type: ignore[arg-type]
    await connection.close()
