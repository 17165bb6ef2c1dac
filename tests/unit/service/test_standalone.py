"""The one-machine default: what it decides for its parts, refuses, and announces."""

import asyncio
import http.server
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from reteval.contract.api_keys import Scope
from service.settings import Settings, SettingsError
from service.standalone import (
    Plan,
    PortTakenError,
    announce,
    banner,
    check_access,
    child_environment,
    claim_port,
    is_loopback,
    programs,
    secret_key,
)
from tests.factories import api_key


def plan(host: str = "127.0.0.1", port: int = 8642, workers: int = 2) -> Plan:
    """A plan as `up` makes it."""
    return Plan(host=host, port=port, data=Path("/data"), workers=workers)


@pytest.fixture
def slow_api() -> Iterator[int]:
    """The port of an API that is not ready at first, and misbehaves once."""
    answers = [HTTPStatus.SERVICE_UNAVAILABLE, None, HTTPStatus.OK]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.pop(0)
            if answer is None:
                self.wfile.write(b"not http\r\n")
                return
            self.send_response(answer)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Keep the test's output quiet."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - the case under test
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
    ],
)
def test_is_loopback(host: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    """Only addresses that no other machine can reach count, names by their exact spelling."""
    assert is_loopback(host) is expected


def test_check_access_refuses_open_doors() -> None:
    """Auth off on an address that others reach is refused with the two ways out."""
    settings = Settings.from_env({"RETEVAL_AUTH": "off", "RETEVAL_HOST": "10.0.0.1"})
    with pytest.raises(SettingsError, match=r"'required'.*127\.0\.0\.1"):
        check_access(settings)


def test_check_access_refuses_a_clients_key() -> None:
    """A key that was made for a team must not become the operator's by being in the shell."""
    environ = {"RETEVAL_API_KEY": api_key(Scope.RUNS_READ)[0]}
    with pytest.raises(SettingsError, match="RETEVAL_API_KEY"):
        check_access(Settings.from_env(environ))
    check_access(Settings.from_env(environ | {"RETEVAL_AUTH": "off"}))


@pytest.mark.parametrize(
    "environ",
    [{"RETEVAL_AUTH": "off"}, {"RETEVAL_AUTH": "required", "RETEVAL_HOST": "10.0.0.1"}],
)
def test_check_access_accepts(environ: dict[str, str]) -> None:
    """Auth off on loopback, and keys anywhere, are both fine."""
    check_access(Settings.from_env(environ))


def test_claim_port_picks_a_free_one() -> None:
    """Port 0 becomes a port that can be bound right after."""
    port = claim_port("127.0.0.1", 0)
    assert claim_port("127.0.0.1", port) == port


def test_claim_port_names_the_way_out_when_taken() -> None:
    """A port in use is named, with --port as the way out."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"Port {port} .*--port"):
            claim_port("127.0.0.1", port)


def test_claim_port_names_a_foreign_address() -> None:
    """An address that is not this machine's is told like a taken port."""
    with pytest.raises(PortTakenError, match=r"192\.0\.2\.1"):
        claim_port("192.0.2.1", 8642)


def test_secret_key_is_made_once(tmp_path: Path) -> None:
    """The key is a Fernet key, private, and the same at every start; no draft stays behind."""
    first = secret_key(tmp_path / "data")
    assert secret_key(tmp_path / "data") == first
    assert Fernet(first).decrypt(Fernet(first).encrypt(b"value")) == b"value"
    assert stat.S_IMODE((tmp_path / "data" / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret.key"]


def test_secret_key_of_simultaneous_starts(tmp_path: Path) -> None:
    """Starts that race agree on one key."""
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(secret_key(tmp_path / "data")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


@pytest.mark.parametrize("content", ["", "short", "*" * 44, "é" * 44])
def test_secret_key_refuses_a_damaged_file(tmp_path: Path, content: str) -> None:
    """A damaged key is never replaced silently: stored header values depend on it."""
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(SettingsError, match="restore it, or remove it"):
        secret_key(tmp_path)
    assert (tmp_path / "secret.key").read_text() == content


def test_child_environment_on_loopback() -> None:
    """On a loopback bind auth is off and loopback endpoints may be called."""
    env = child_environment({"PATH": "/bin"}, plan(), key="k")
    assert env == {
        "PATH": "/bin",
        "RETEVAL_AUTH": "off",
        "RETEVAL_EGRESS": "loopback",
        "RETEVAL_SECRET_KEY": "k",
        "RETEVAL_HOST": "127.0.0.1",
        "RETEVAL_PORT": "8642",
        "RETEVAL_DATA": "/data",
    }


def test_child_environment_beyond_loopback() -> None:
    """On any other bind the key is required and only public addresses may be called."""
    env = child_environment({}, plan("10.0.0.1"), key="k")
    assert (env["RETEVAL_AUTH"], env["RETEVAL_EGRESS"]) == ("required", "public")


def test_child_environment_keeps_what_is_set() -> None:
    """The operator's own choice wins over the defaults."""
    environ = {"RETEVAL_AUTH": "required", "RETEVAL_EGRESS": "public"}
    env = child_environment(environ, plan(), key="k")
    assert (env["RETEVAL_AUTH"], env["RETEVAL_EGRESS"]) == ("required", "public")


def test_programs_in_starting_order() -> None:
    """The API starts before the workers, one of which serves the interactive queue."""
    api, workers = programs(plan(workers=2), {"A": "b"})
    assert [part.argv for part in api] == [(sys.executable, "-m", "service", "serve")]
    assert [part.name for part in workers] == ["worker-1", "worker-2", "worker-interactive"]
    assert workers[0].argv == (sys.executable, "-m", "worker")
    assert workers[2].argv == (sys.executable, "-m", "worker", "--queue", "interactive")
    assert workers[2].env == {"A": "b"}


def test_banner_says_what_is_open() -> None:
    """Auth off and loopback egress are said aloud; the store's address is not."""
    open_settings = Settings.from_env({"RETEVAL_AUTH": "off", "RETEVAL_EGRESS": "loopback"})
    text = banner(plan(), open_settings, embedded=True)
    assert "auth is off" in text
    assert "loopback addresses" in text
    assert "/data, store embedded, workers 2" in text


def test_banner_is_short_when_all_is_closed() -> None:
    """A guarded start has nothing to warn of, and never shows the store's URL."""
    settings = Settings.from_env(
        {"RETEVAL_REDIS_URL": "redis://:password@store", "RETEVAL_API_KEY": "k"}
    )
    assert banner(plan(), settings, embedded=False) == (
        "reteval: data directory /data, store of RETEVAL_REDIS_URL, workers 2"
    )


@pytest.mark.parametrize(
    ("embedded", "command"),
    [(True, "python -m service bootstrap --data /data"), (False, "python -m service bootstrap")],
)
def test_banner_says_how_the_first_key_is_made(
    embedded: bool,  # noqa: FBT001 - a table's column
    command: str,
) -> None:
    """Where callers need a key and the operator set none, the command for the first one is said."""
    assert banner(plan(), Settings.from_env({}), embedded=embedded).endswith(command)


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:8642"), ("::1", "http://[::1]:8642")]
)
def test_plan_url(host: str, url: str) -> None:
    """The URL can be pasted into a client, IPv6 included."""
    assert plan(host).url == url


def test_announce_waits_for_readiness(slow_api: int) -> None:
    """Nothing is announced until the API answers 200, whatever it says before."""
    lines: list[str] = []
    asyncio.run(announce(plan("0.0.0.0", slow_api), lines.append))  # noqa: S104 - the case under test
    assert lines == [f"ready http://0.0.0.0:{slow_api}"]
