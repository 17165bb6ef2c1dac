"""`python -m service up` as a user meets it: one ready line, restarts, an orderly end."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

import redis

from service.embedded import EmbeddedServer
from service.locks import wait_until
from service.standalone import claim_port
from tests.service_process import find_descendants, is_alive

ROOT = Path(__file__).parents[2]


def environment(**settings: str) -> dict[str, str]:
    """This environment with these settings of the service, and no other."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("RETEVAL_")}
    return kept | settings


@contextmanager
def up(data: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The service on a free port: its process, and the URL of its ready line."""
    with (
        (data.parent / "up.log").open("a") as log,
        subprocess.Popen(
            [sys.executable, "-m", "service", "up", "--port=0", f"--data={data}", "--workers=1"],
            cwd=ROOT,
            env=environment(**settings),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            word, _, url = process.stdout.readline().strip().partition(" ")
            assert word == "ready", (data.parent / "up.log").read_text()
            yield process, url
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            process.wait()
            assert rest == ""


def is_ready(url: str) -> bool:
    """Whether the API says that it can work."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:  # noqa: S310 - our own
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False


def test_up_serves_and_ctrl_c_stops_everything(tmp_path: Path) -> None:
    """One line on standard output, then Ctrl-C ends every process; a new start has the data."""
    data = tmp_path / "data"
    with up(data) as (process, url):
        assert is_ready(url)
        parts = find_descendants(process.pid)
        with redis.Redis.from_url(EmbeddedServer(data).url) as client:
            client.set("kept", "value")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        took = time.monotonic() - began
    assert len(parts) >= 3
    assert [pid for pid in parts if is_alive(pid)] == []
    assert not EmbeddedServer(data).running()
    assert took < 10  # the promise is 5 s; the rest is for a busy machine
    with EmbeddedServer(data) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"value"


def test_up_restarts_its_killed_parts(tmp_path: Path) -> None:
    """The store and every other part may be killed with -9; the service comes back."""
    data = tmp_path / "data"
    with up(data) as (process, url):
        os.kill(int((data / "valkey.pid").read_text()), signal.SIGKILL)
        for pid in find_descendants(process.pid):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: EmbeddedServer(data).running() and is_ready(url), 30)
        assert (tmp_path / "up.log").read_text().count("starts again") >= 4


def test_killed_up_leaves_only_the_store_and_is_taken_over(tmp_path: Path) -> None:
    """After a kill -9 of the supervisor the parts end; the next start joins the store."""
    data = tmp_path / "data"
    with up(data) as (process, _url):
        parts = find_descendants(process.pid)
        process.kill()
        process.wait()
        assert wait_until(lambda: not any(is_alive(pid) for pid in parts), 30)
    store = (data / "valkey.pid").read_text()
    assert EmbeddedServer(data).running()
    with up(data) as (_process, url):
        assert is_ready(url)
        assert (data / "valkey.pid").read_text() == store
    assert not EmbeddedServer(data).running()


def test_up_uses_the_store_it_is_given(tmp_path: Path) -> None:
    """With `RETEVAL_REDIS_URL` no server is started, and the given one is left running."""
    with EmbeddedServer(tmp_path / "store") as store:
        with up(tmp_path / "data", RETEVAL_REDIS_URL=store.url) as (_process, url):
            assert is_ready(url)
            assert not EmbeddedServer(tmp_path / "data").running()
        assert store.running()


def test_serve_alone_uses_the_embedded_server(tmp_path: Path) -> None:
    """The API without a store's URL brings its own server, and takes it along when it ends."""
    port = claim_port("127.0.0.1", 0)
    settings = {
        "RETEVAL_AUTH": "off",
        "RETEVAL_PORT": str(port),
        "RETEVAL_DATA": str(tmp_path / "data"),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "service", "serve"],
        cwd=ROOT,
        env=environment(**settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert wait_until(lambda: is_ready(f"http://127.0.0.1:{port}"), 30)
            assert EmbeddedServer(tmp_path / "data").running()
        finally:
            process.terminate()
        assert process.wait() == 0
    assert not EmbeddedServer(tmp_path / "data").running()
