"""The boundary at the moment of dialling: names that lead where they may not."""

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Limits
from service.egress import Policy
from tests.evil import Evil
from worker.search.dialling import Guard, GuardedConnector, GuardedResolver, Resolve, resolve_in
from worker.search.failures import CallError, LookupTimeoutError, RefusedError, explain
from worker.search.template import Ask, Template
from worker.search.transport import Transport

LOOPBACK = Policy.parse("loopback")


def answering(*answers: Sequence[str]) -> Resolve:
    """Return a resolver that gives these answers in turn, the last one for ever."""
    left = list(answers)

    async def resolve(host: str, port: int) -> Sequence[str]:
        del host, port
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


async def send(policy: Policy, url: str, resolve: Resolve | None, times: int = 1) -> None:
    """Send a query some times on one transport."""
    target = policy.check_url(url)
    request = Template.compile(Endpoint(url=target.url)).render(Ask(text="q"), 10)
    async with Transport(target, limits=Limits(), policy=policy, resolve=resolve) as transport:
        for _ in range(times):
            await transport.send(request)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["8.8.8.8", "127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["10.0.0.1"],
        ["fe80::1%lo"],
    ],
)
@pytest.mark.parametrize("policy", [LOOPBACK, Policy.parse("public")])
async def test_send_when_a_name_leads_to_a_refused_address(
    evil: Evil, addresses: list[str], policy: Policy
) -> None:
    """One refused address refuses the name, and nobody is dialled."""
    with pytest.raises(CallError) as caught:
        await send(policy, f"http://rebind.example:{evil.port}/ok", answering(addresses))
    assert caught.value.code is FailureCode.BLOCKED
    assert evil.connections == 0
    assert not any(address in caught.value.detail for address in addresses)


async def test_send_when_a_name_changes_between_connections() -> None:
    """The verdict is taken anew for each lookup, not once for the run."""
    async with Evil() as evil:
        policy = Policy.parse("public", [f"127.0.0.1/32:{evil.port}"])
        resolve = answering(["127.0.0.1"], ["10.0.0.1"])
        url = f"http://flip.example:{evil.port}/ok"
        await send(policy, url, resolve)
        assert evil.connections == 1
        with pytest.raises(CallError) as caught:
            await send(policy, url, resolve)
        assert caught.value.code is FailureCode.BLOCKED
        assert evil.connections == 1


async def test_send_when_a_name_leads_to_several_allowed_addresses() -> None:
    """An address that does not answer makes room for the next one."""
    async with Evil() as evil:
        policy = Policy.parse("public", [f"multi.example:{evil.port}"])
        url = f"http://multi.example:{evil.port}/ok"
        await send(policy, url, answering(["::1", "127.0.0.1"]), times=2)
        assert len(evil.received) == 2


async def test_send_when_a_literal_is_refused_only_by_the_worker(evil: Evil) -> None:
    """A literal never meets the resolver: the maker of sockets refuses it."""
    target = LOOPBACK.check_url(evil.url("ok"))
    request = Template.compile(Endpoint(url=target.url)).render(Ask(text="q"), 10)
    async with Transport(target, limits=Limits(), policy=Policy.parse("public")) as transport:
        with pytest.raises(CallError) as caught:
            await transport.send(request)
    assert caught.value.code is FailureCode.BLOCKED
    assert evil.connections == 0


async def test_send_when_a_name_has_no_address() -> None:
    """No address is `dns_error`."""
    for resolve in (answering([]), None):
        with pytest.raises(CallError) as caught:
            await send(LOOPBACK, "http://nowhere.invalid/", resolve)
        assert caught.value.code is FailureCode.DNS_ERROR


async def test_resolve_when_the_lookup_hangs() -> None:
    """A lookup has a time limit of its own, and its end is `dns_timeout`."""

    async def hang(host: str, port: int) -> Sequence[str]:
        del host, port
        await asyncio.sleep(60)
        return []

    guard = Guard(LOOPBACK, LOOPBACK.check_url("http://slow.example/"))
    with pytest.raises(LookupTimeoutError) as caught:
        await GuardedResolver(guard, hang, limit_s=0.05).resolve("slow.example", 80)
    assert explain(caught.value).code is FailureCode.DNS_TIMEOUT


async def test_send_by_name(evil: Evil) -> None:
    """The system's resolver finds localhost, and all its addresses are allowed."""
    await send(LOOPBACK, f"http://localhost:{evil.port}/ok", None)
    assert evil.received[0].headers["host"] == f"localhost:{evil.port}"


async def test_resolve_in_returns_each_address_once() -> None:
    """The resolver on threads gives plain addresses."""
    with ThreadPoolExecutor(1) as pool:
        assert await resolve_in(pool)("127.0.0.1", 80) == ["127.0.0.1"]


@pytest.mark.parametrize("peer", [None, ("10.0.0.1", 80)])
def test_check_peer_when_it_was_never_judged(peer: tuple[str, int] | None) -> None:
    """A connection to an address that was not checked is refused."""
    guard = Guard(LOOPBACK, LOOPBACK.check_url("http://localhost/"))
    guard.open_socket(
        (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 80))
    ).close()
    guard.check_peer(("127.0.0.1", 80))
    with pytest.raises(RefusedError):
        guard.check_peer(peer)


async def test_connect_when_the_peer_is_another(evil: Evil) -> None:
    """A connection to an address that was not judged is closed before anything is sent."""

    class Absent(Guard):
        """A guard that judges nothing, as if sockets were made elsewhere."""

        def check(self, address: str, port: int) -> None:
            """Remember no address."""

    guard = Absent(LOOPBACK, LOOPBACK.check_url(evil.url("ok")))
    connector = GuardedConnector(guard, answering(["127.0.0.1"]))
    async with aiohttp.ClientSession(connector=connector) as session:
        with pytest.raises(aiohttp.ClientOSError) as caught:
            await session.get(evil.url("ok"))
    assert explain(caught.value).code is FailureCode.BLOCKED
    assert evil.received == []


def test_explain_when_the_library_says_something_new() -> None:
    """An error that no rule knows is a failed connection, and is tried again."""
    assert explain(aiohttp.ClientError()).code is FailureCode.CONNECT
