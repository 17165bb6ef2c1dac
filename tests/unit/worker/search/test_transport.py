"""Sending one request over real sockets to a server that misbehaves."""

import asyncio
import socket
import ssl
from pathlib import Path
from urllib.parse import unquote

import pytest

from reteval.contract.endpoints import Endpoint, Method
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import Policy
from tests.certificates import issue_certificate
from tests.evil import Evil
from worker.search.failures import CallError
from worker.search.template import Ask, Template
from worker.search.transport import Reply, Transport

POLICY = Policy.parse("loopback")
LIMITS = Limits(max_response_bytes=1_000_000)
SHORT = Limits(timeout_s=0.3)


async def send(
    url: str,
    *,
    query: str = "q",
    limits: Limits = LIMITS,
    method: Method = Method.POST,
    tls: ssl.SSLContext | None = None,
) -> Reply:
    """Send one query on a transport of its own."""
    target = POLICY.check_url(url)
    template = Template.compile(Endpoint(url=target.url, method=method))
    async with Transport(target, limits=limits, policy=POLICY, tls=tls) as transport:
        return await transport.send(template.render(Ask(text=query), 10))


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("drop", FailureCode.RESET),
        ("reset", FailureCode.TRUNCATED),
        ("truncated", FailureCode.TRUNCATED),
        ("bad-chunk", FailureCode.BAD_HTTP),
        ("hang", FailureCode.TIMEOUT),
        ("drip-head", FailureCode.TIMEOUT),
        ("drip-body", FailureCode.TIMEOUT),
        ("hints", FailureCode.TIMEOUT),
        ("endless", FailureCode.RESPONSE_TOO_LARGE),
        ("garbage", FailureCode.BAD_HTTP),
        ("huge-head", FailureCode.BAD_HTTP),
        ("two-lengths", FailureCode.BAD_HTTP),
        ("gzip", FailureCode.ENCODING_NOT_ALLOWED),
    ],
)
@pytest.mark.parametrize("method", [Method.POST, Method.GET])
async def test_send_when_the_answer_is_broken(
    evil: Evil, behaviour: str, code: FailureCode, method: Method
) -> None:
    """Each way to break an answer has its code, within the time limit, and is sent once."""
    limits = SHORT if code is FailureCode.TIMEOUT else LIMITS
    with pytest.raises(CallError) as caught:
        await send(evil.url(behaviour), method=method, limits=limits)
    assert caught.value.code is code
    assert caught.value.latency_ms is not None
    assert len(evil.received) == 1


@pytest.mark.parametrize("method", [Method.POST, Method.GET])
async def test_send_when_the_endpoint_closes_idle_connections(evil: Evil, method: Method) -> None:
    """A request that meets a closed connection goes out again on a new one."""
    target = POLICY.check_url(evil.url("unavailable"))
    request = Template.compile(Endpoint(url=target.url, method=method)).render(Ask(text="q"), 10)
    async with Transport(target, limits=LIMITS, policy=POLICY) as transport:
        statuses = [(await transport.send(request)).status for _ in range(20)]
    assert statuses == [503] * 20
    assert len(evil.received) == 20


async def test_send_when_nobody_listens() -> None:
    """A refused connection is `connect`, not a time-out."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(CallError) as caught:
        await send(f"http://127.0.0.1:{port}/")
    assert caught.value.code is FailureCode.CONNECT
    assert str(port) not in caught.value.detail


async def test_send_when_the_status_is_another(evil: Evil) -> None:
    """A redirect is handed back, not followed; so is any other status."""
    assert (await send(evil.url("redirect"))).status == 302
    assert (await send(evil.url("unavailable"))).status == 503
    assert len(evil.received) == 2


async def test_send_when_the_endpoint_sets_a_cookie(evil: Evil) -> None:
    """Connections are kept, cookies are not."""
    target = POLICY.check_url(evil.url("cookie"))
    request = Template.compile(Endpoint(url=target.url)).render(Ask(text="q"), 10)
    async with Transport(target, limits=LIMITS, policy=POLICY) as transport:
        for _ in range(3):
            await transport.send(request)
    assert evil.connections == 1
    assert all("cookie" not in received.headers for received in evil.received)


async def test_send_when_the_environment_names_a_proxy(
    evil: Evil, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Proxies, certificates and passwords of the environment are not used."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login u password p\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await send(evil.url("ok"))).status == 200
    assert "authorization" not in evil.received[0].headers


@pytest.mark.parametrize(
    "query",
    [
        *('27" monitor', "C:\\temp\\", "100% + 1", "kfc \U0001f357", "a&b=c+d", "tab\t\nline"),
        *("{{k}}", "../x", "a/b?c#d;e", "~ %7E %2e"),
    ],
)
async def test_send_keeps_the_query_byte_for_byte(evil: Evil, query: str) -> None:
    """What the endpoint decodes from a parameter or a path is the query itself."""
    await send(evil.url("ok") + "?q={{query}}", query=query, method=Method.GET)
    await send(evil.url("ok") + "/{{query}}", query=query, method=Method.GET)
    first, second = (received.target for received in evil.received)
    assert unquote(first.partition("?q=")[2]) == query
    assert unquote(second.removeprefix("/ok/")) == query


async def test_send_when_the_answer_has_the_allowed_size(evil: Evil) -> None:
    """The cap is inclusive."""
    size = len((await send(evil.url("ok"))).body)
    assert (await send(evil.url("ok"), limits=Limits(max_response_bytes=1_024))).status == 200
    with pytest.raises(CallError) as caught:
        await send(evil.url("endless"), limits=Limits(max_response_bytes=1_024))
    assert size < 1_024
    assert caught.value.code is FailureCode.RESPONSE_TOO_LARGE


async def test_send_over_tls(tmp_path: Path) -> None:
    """A certificate that nobody vouches for fails; a trusted one of that host passes."""
    certificate = issue_certificate(tmp_path, "localhost")
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with Evil(tls=serving) as evil:
        url = f"https://localhost:{evil.port}/ok"
        assert (await send(url, tls=trusting)).status == 200
        for address, tls in ((url, None), (url.replace("localhost", "127.0.0.1"), trusting)):
            with pytest.raises(CallError) as caught:
                await send(address, tls=tls)
            assert caught.value.code is FailureCode.TLS_ERROR
            assert "certificate" in caught.value.detail.lower()


async def test_send_when_the_port_speaks_no_tls() -> None:
    """Plain HTTP where TLS is expected is `tls_error`."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(CallError) as caught:
            await send(f"https://127.0.0.1:{port}/")
    assert caught.value.code is FailureCode.TLS_ERROR
