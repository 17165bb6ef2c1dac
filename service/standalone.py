"""The one-machine default: a store, the API and its workers under one supervisor.

Decides the environment of the parts and tells when they serve. Does not know what they do.
"""

import asyncio
import base64
import binascii
import http.client
import ipaddress
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final

from msgspec import Struct

from reteval.contract.tokens import read_token
from service.embedded import EmbeddedServer, prepare_directory
from service.settings import Settings, SettingsError
from service.supervisor import Program, Supervisor

_READY_POLL_S: Final = 0.05
_PROBE_S: Final = 1.0
_KEY_BYTES: Final = 32
FIRST_KEY: Final = "callers need a key; the first is made by: python -m service bootstrap"


class Plan(Struct, frozen=True, kw_only=True):
    """What `up` was asked for; `port` is a real one by now."""

    host: str
    port: int
    data: Path
    workers: int

    @property
    def url(self) -> str:
        """Where the API will be."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


class PortTakenError(RuntimeError):
    """The port cannot be bound; the message names the way out."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a bind to `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_access(settings: Settings) -> None:
    """Refuse a bind that strangers could use, and a team's key as the operator's.

    Raises:
        SettingsError: auth is off beyond loopback, or the variable holds what a client should.
    """
    if settings.auth == "required" and read_token(settings.api_key) is not None:
        raise SettingsError(
            "RETEVAL_API_KEY holds a key that the service made, which as the operator's would "
            "open everything: unset it here, or set it to another long random text"
        )
    if settings.auth == "off" and not is_loopback(settings.host):
        raise SettingsError(
            f"RETEVAL_AUTH='off' is refused on {settings.host!r}: leave RETEVAL_AUTH at "
            "'required', or bind a loopback address such as 127.0.0.1"
        )


def claim_port(host: str, port: int) -> int:
    """Return the port if it can be bound; a free one for 0.

    Raises:
        PortTakenError: somebody listens there, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as exc:
            raise PortTakenError(
                f"Port {port} on {host!r} cannot be used ({exc.strerror}): stop what listens "
                "there, or choose another with --port (0 picks a free one)"
            ) from exc
        return int(probe.getsockname()[1])


def secret_key(data: Path) -> str:
    """The Fernet key in `data`, made on first use, readable by its owner only.

    Raises:
        EmbeddedError: the directory cannot be used.
        SettingsError: the file holds no Fernet key.
    """
    prepare_directory(data)
    path = data / "secret.key"
    if not path.exists():
        _write_once(path, base64.urlsafe_b64encode(os.urandom(_KEY_BYTES)))
    text = path.read_text(errors="replace").strip()
    try:
        sound = len(base64.urlsafe_b64decode(text)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        sound = False
    if not sound:
        raise SettingsError(
            f"{str(path)!r} holds no Fernet key: restore it, or remove it to get a new one "
            "(header values stored under the old one are lost)"
        )
    return text


def child_environment(environ: Mapping[str, str], plan: Plan, *, key: str) -> dict[str, str]:
    """The parts' environment: the caller's, with what `up` decides where nothing is set."""
    local = is_loopback(plan.host)
    defaults = {
        "RETEVAL_AUTH": "off" if local else "required",
        "RETEVAL_EGRESS": "loopback" if local else "public",
    }
    decided = {
        "RETEVAL_SECRET_KEY": key,
        "RETEVAL_HOST": plan.host,
        "RETEVAL_PORT": str(plan.port),
        "RETEVAL_DATA": str(plan.data),
    }
    return defaults | dict(environ) | decided


def programs(plan: Plan, env: Mapping[str, str]) -> list[list[Program]]:
    """Stages in starting order: the API, then the workers."""
    python = (sys.executable, "-m")
    workers = [
        Program(name=f"worker-{number}", argv=(*python, "worker"), env=env)
        for number in range(1, plan.workers + 1)
    ]
    interactive = (*python, "worker", "--queue", "interactive")
    return [
        [Program(name="api", argv=(*python, "service", "serve"), env=env)],
        [*workers, Program(name="worker-interactive", argv=interactive, env=env)],
    ]


def banner(plan: Plan, settings: Settings, *, embedded: bool) -> str:
    """What an operator must know about this start."""
    store = "embedded" if embedded else "of RETEVAL_REDIS_URL"
    lines = [f"reteval: data directory {plan.data}, store {store}, workers {plan.workers}"]
    if settings.auth == "off":
        lines.append("reteval: auth is off: every program on this machine may use the API")
    elif not settings.api_key:
        lines.append(
            f"reteval: {FIRST_KEY} --data {plan.data}" if embedded else f"reteval: {FIRST_KEY}"
        )
    if settings.egress == "loopback":
        lines.append("reteval: runs may call endpoints on this machine's loopback addresses")
    return "\n".join(lines)


async def announce(plan: Plan, announced: Callable[[str], None]) -> None:
    """Wait until the API says that it is ready, then tell its URL."""
    while not await asyncio.to_thread(_is_ready, plan.host, plan.port):  # noqa: ASYNC110 - no event
        await asyncio.sleep(_READY_POLL_S)  # crosses from the process that gets ready
    announced(f"ready {plan.url}")


async def supervise(
    plan: Plan,
    stages: list[list[Program]],
    *,
    store: EmbeddedServer | None,
    say: Callable[[str], None],
    announced: Callable[[str], None],
) -> None:
    """Run the stages until a signal; tell once when the API is ready."""
    supervisor = Supervisor(stages, report=lambda line: say(f"reteval: {line}"), store=store)
    waiting = asyncio.create_task(announce(plan, announced))
    try:
        await supervisor.run()
    finally:
        waiting.cancel()


def _is_ready(host: str, port: int) -> bool:
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not bound
    connection = http.client.HTTPConnection(near, port, timeout=_PROBE_S)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _write_once(path: Path, content: bytes) -> None:
    """Make the file with its content in one step; the first of two writers wins."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".secret-") as draft:
        draft.write(content)
        draft.flush()
        try:
            path.hardlink_to(draft.name)
        except FileExistsError:
            return
