import asyncio
import inspect
from pathlib import Path

import httpx
import pytest

from reteval import _run_calls
from reteval._transport import (
    CHUNK_BYTES,
    DEFAULT_URL,
    Target,
    failure_of,
    find_target,
    read_chunks,
    read_chunks_async,
    request_of,
    user_agent,
)
from reteval.errors import ConnectionFailedError, UnreadableResponseError

GET = _run_calls.get_run("run_1", 20)
HERE = Target(url=DEFAULT_URL, api_key="s3cret")


def test_find_target_prefers_arguments() -> None:
    """Arguments go before the environment, and that before the default."""
    environ = {"RETEVAL_URL": "https://env.example/", "RETEVAL_API_KEY": " key\n"}
    assert Target(url="http://a.example", api_key="") == find_target(
        "http://a.example/", "", environ
    )
    assert Target(url="https://env.example", api_key="key") == find_target(None, None, environ)
    assert Target(url=DEFAULT_URL, api_key="") == find_target(None, None, {})


@pytest.mark.parametrize(
    "url", ["localhost:8642", "ftp://a.example", "http://", "//a", "http://a:port", "http://a/?q=1"]
)
def test_find_target_refuses_what_is_no_address(url: str) -> None:
    """A wrong address is told at once, not by a failing request."""
    with pytest.raises(ValueError, match=r"no address of a service; write it like http://"):
        find_target(url, None, {})


@pytest.mark.parametrize("key", ["clé", "a\nb"])
def test_find_target_refuses_a_key_no_header_can_carry(key: str) -> None:
    """The message does not repeat the key."""
    with pytest.raises(ValueError, match="no header can carry") as caught:
        find_target(None, key, {})
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8642", True),
        ("http://[::1]:8642", True),
        ("http://localhost", True),
        ("http://10.0.0.1", False),
        ("https://reteval.example", False),
    ],
)
def test_loopback_for_each_address(url: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """Only services on this machine bypass the environment's proxies."""
    assert expected == Target(url=url, api_key="").loopback


def test_target_hides_the_key() -> None:
    """A target can be logged."""
    assert "Target(url='http://127.0.0.1:8642')" == repr(HERE)


def test_request_of_a_held_answer() -> None:
    """Address, key, agent and time come together; connecting gets no more than its own bound."""
    arguments = request_of(GET, HERE, 30.0)
    assert ("GET", f"{DEFAULT_URL}/v1/runs/run_1") == (arguments["method"], arguments["url"])
    assert "Bearer s3cret" == arguments["headers"]["authorization"]
    assert user_agent() == arguments["headers"]["user-agent"]
    assert httpx.Timeout(50.0, connect=5.0) == arguments["timeout"]


def test_request_of_without_a_key() -> None:
    """No key, no header."""
    arguments = request_of(GET, Target(url=DEFAULT_URL, api_key=""), 30.0)
    assert "authorization" not in arguments["headers"]


def test_user_agent_names_a_release() -> None:
    """An operator can see which client calls."""
    assert user_agent().startswith("reteval/")
    assert "reteval/0 " not in user_agent()


def all_request_errors() -> list[type[httpx.RequestError]]:
    """List what httpx can raise for a request."""
    classes = [value for value in vars(httpx).values() if inspect.isclass(value)]
    return [value for value in classes if issubclass(value, httpx.RequestError)]


@pytest.mark.parametrize("kind", all_request_errors())
def test_failure_of_every_error_httpx_has(kind: type[httpx.RequestError]) -> None:
    """No exception of the HTTP library reaches a caller, those of its later releases included."""
    foreign = kind("it broke")
    try:
        failure: Exception = failure_of(foreign, GET, HERE)
    except UnreadableResponseError as exc:
        failure = exc
    expected = UnreadableResponseError if kind is httpx.DecodingError else ConnectionFailedError
    assert (expected, foreign) == (type(failure), failure.__cause__)
    assert "it broke" in str(failure)
    assert "GET /v1/runs/run_1" in str(failure)


def test_failure_of_an_error_without_words() -> None:
    """A message-less exception is named by its class."""
    assert "(ReadTimeout)" in str(failure_of(httpx.ReadTimeout(""), GET, HERE))


def test_read_chunks_piece_by_piece(tmp_path: Path) -> None:
    """A file comes in bounded pieces that make up the whole, in both clients."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * (CHUNK_BYTES + 1))

    async def collect() -> list[bytes]:
        return [chunk async for chunk in read_chunks_async(path)]

    for chunks in (list(read_chunks(path)), asyncio.run(collect())):
        assert [CHUNK_BYTES, 1] == [len(chunk) for chunk in chunks]
