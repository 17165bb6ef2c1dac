"""The border to httpx: where to send, how a call becomes a request, what its failures mean."""

import ipaddress
import platform
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from reteval._requests import Call
from reteval._responses import Reply
from reteval.contract.backups import BrokenBackupError
from reteval.errors import ConnectionFailedError, Refusal, UnreadableResponseError

DEFAULT_URL: Final = "http://127.0.0.1:8642"
CHUNK_BYTES: Final = 262_144
CONNECT_S: Final = 5.0
DISTRIBUTIONS: Final = ("reteval", "reteval-service")


class Target(Struct, frozen=True, kw_only=True):
    """A service and the key for it."""

    url: str
    api_key: str

    def __repr__(self) -> str:
        """Show where, never the key."""
        return f"Target(url={self.url!r})"

    @property
    def loopback(self) -> bool:
        """Whether the service is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def find_target(url: str | None, api_key: str | None, environ: Mapping[str, str]) -> Target:
    """Take what is given, else `RETEVAL_URL` and `RETEVAL_API_KEY`, else the local default.

    Raises:
        ValueError: a URL without http or https and a host, or a key no header can carry.
    """
    base = (url or environ.get("RETEVAL_URL") or DEFAULT_URL).strip().rstrip("/")
    if not _is_address(base):
        raise ValueError(f"{base!r} is no address of a service; write it like {DEFAULT_URL}")
    key = (environ.get("RETEVAL_API_KEY", "") if api_key is None else api_key).strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the API key holds characters that no header can carry")
    return Target(url=base, api_key=key)


def request_of(call: Call[object], target: Target, timeout_s: float) -> dict[str, Any]:
    """Return the arguments of httpx's `build_request`, all but a file's content."""
    headers = {"user-agent": user_agent(), **call.headers}
    if target.api_key:
        headers["authorization"] = f"Bearer {target.api_key}"
    if call.file is not None:
        headers["content-length"] = str(call.file.stat().st_size)
    arguments: dict[str, Any] = {
        "method": call.method,
        "url": target.url + call.path,
        "params": call.params,
        "headers": headers,
        "timeout": httpx.Timeout(timeout_s + call.extra_s, connect=min(CONNECT_S, timeout_s)),
    }
    if call.parts:
        arguments["files"] = [
            (part.name, (part.filename, part.content, "text/plain")) for part in call.parts
        ]
    elif call.content is not None:
        arguments["content"] = call.content
    return arguments


def user_agent() -> str:
    """Name this package, its release and the Python it runs on."""
    return f"reteval/{release()} python/{platform.python_version()}"


def reply_of(response: httpx.Response) -> Reply:
    """Copy what httpx received."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(status=response.status_code, headers=headers, body=response.content)


def failure_of(
    exc: httpx.RequestError, call: Call[object], target: Target
) -> ConnectionFailedError:
    """Translate a failure that httpx reports while sending or receiving.

    Raises:
        UnreadableResponseError: there was an answer, but its encoding is broken.
    """
    reason = str(exc) or type(exc).__name__
    if isinstance(exc, httpx.DecodingError):
        refusal = Refusal(
            request=call.about,
            status=None,
            code=None,
            detail=f"the answer's encoding is broken ({reason})",
            request_id=None,
        )
        raise UnreadableResponseError(refusal) from exc
    failure = ConnectionFailedError(
        f"{call.about}: no answer from {target.url} ({reason}); "
        "check that the service runs there and that RETEVAL_URL names it"
    )
    failure.__cause__ = exc
    return failure


def broken_of(exc: BrokenBackupError, call: Call[object]) -> ConnectionFailedError:
    """Report a download that did not arrive whole, so that it is repeated."""
    failure = ConnectionFailedError(f"{call.about}: the backup did not arrive whole ({exc})")
    failure.__cause__ = exc
    return failure


def read_chunks(path: Path) -> Iterator[bytes]:
    """Read a file piece by piece."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


async def read_chunks_async(path: Path) -> AsyncIterator[bytes]:
    """Read a file piece by piece; local disks answer sooner than a thread would start."""
    for chunk in read_chunks(path):
        yield chunk


def _is_address(base: str) -> bool:
    try:
        url = httpx.URL(base)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(url.host) and not url.query


def release() -> str:
    for name in DISTRIBUTIONS:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "0"
