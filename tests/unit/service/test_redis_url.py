"""How Redis is reached: what a URL means, over TLS, and through sentinels when the leader dies."""

import asyncio
import signal
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from redis.connection import SSLConnection

from service.errors import StoreUnavailableError
from service.queue import RUNS, JobQueue
from service.redis_url import connect, read_address, sentinels_of
from service.store.store import Store
from tests.certificates import issue_certificate
from tests.sentinels import run_sentinels
from tests.tls import serve_tls


def test_sentinel_url_is_taken_apart() -> None:
    """Sentinels with and without ports, the servers' name, login, database and options."""
    address = read_address(
        "rediss+sentinel://app:p%40ss@s1:7000,s2,[::1]:7001/my%20set/3"
        "?ssl_ca_certs=/ca.pem&sentinel_password=own"
    )
    assert address.hosts == (("s1", 7000), ("s2", 26379), ("::1", 7001))
    assert address.name == "my set"
    assert address.server == "rediss://app:p%40ss@leader/3?ssl_ca_certs=%2Fca.pem"
    assert address.sentinel_options == {"password": "own"}


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("http://store", "use redis://"),
        ("unix+sentinel:///x", "use redis://"),
        ("redis+sentinel://s1:26379", "NAME"),
        ("redis+sentinel://s1,,s2/name", "commas"),
        ("redis:///0", "name the host"),
        ("redis://:s3cret/pass@store", "percent-encode"),
        ("redis://store:s3cret", "0 to 65535"),
        ("redis+sentinel://s1:s3cret/name", "0 to 65535"),
    ],
)
def test_unusable_url_is_refused_without_being_shown(url: str, hint: str) -> None:
    """What is wrong is said; the URL, which may hold a password, is not."""
    with pytest.raises(ValueError, match=hint) as refusal:
        read_address(url)
    assert "s3cret" not in str(refusal.value)


async def test_store_and_queue_work_over_tls(redis_url: str, tmp_path: Path) -> None:
    """`rediss://` with a certificate authority reaches the server through TLS, in both clients."""
    certificate = issue_certificate(tmp_path, "localhost")
    async with serve_tls(certificate, socket=unquote(urlsplit(redis_url).path)) as port:
        url = f"rediss://localhost:{port}?ssl_ca_certs={certificate}"
        store, queue = Store.connect(url), JobQueue.connect(url)
        await store.ping()
        assert await queue.depth() == {"runs": 0, "interactive": 0}
        queue.close()
        await store.close()


async def test_foreign_certificate_is_refused(redis_url: str, tmp_path: Path) -> None:
    """A server whose certificate nobody vouches for is no store."""
    certificate = issue_certificate(tmp_path, "localhost")
    async with serve_tls(certificate, socket=unquote(urlsplit(redis_url).path)) as port:
        store = Store.connect(f"rediss://localhost:{port}")
        with pytest.raises(StoreUnavailableError):
            await store.ping()
        await store.close()


async def test_sentinels_lead_to_the_next_server(tmp_path: Path) -> None:
    """Kill -9 of the leading server: the same store and queue go on with its copy."""
    with run_sentinels(tmp_path) as watched:
        store, queue = Store.connect(watched.url), JobQueue.connect(watched.url)
        key = await store.signing_key()
        await queue.enqueue(["run_1-plan-0"], queue=RUNS)
        watched.leader.kill()
        deadline = time.monotonic() + 20
        while True:
            try:
                await store.ping()
                break
            except StoreUnavailableError:
                assert time.monotonic() < deadline, "no server took over"
                await asyncio.sleep(0.1)
        assert await store.signing_key() == key
        assert (await queue.depth())[RUNS] == 1
        queue.close()
        await store.close()


def test_interrupted_command_leaves_nothing_behind(tmp_path: Path) -> None:
    """A signal ends a wait behind sentinels, as rq's do: the next command gets its own answer."""

    def interrupt(*_: object) -> None:
        raise StopIteration

    with run_sentinels(tmp_path) as watched:
        client = connect(watched.url)
        client.set("word", "right")
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(StopIteration):
                client.execute_command("BLPOP", "nothing", 0.5)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert client.get("word") == b"right"
        for each in (client, *sentinels_of(client)):
            each.close()


def test_sentinels_are_asked_over_tls() -> None:
    """`rediss+sentinel://` speaks TLS with the sentinels and with the servers they name."""
    client = connect("rediss+sentinel://s1/name?ssl_ca_certs=/ca.pem")
    pools = [each.connection_pool for each in (client, *sentinels_of(client))]
    assert [issubclass(pool.connection_class, SSLConnection) for pool in pools] == [True, True]
    assert [pool.connection_kwargs["ssl_ca_certs"] for pool in pools] == ["/ca.pem"] * 2
