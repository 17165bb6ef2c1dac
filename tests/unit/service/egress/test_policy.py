"""The policy over addresses and ports: modes, openings, and what never opens."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.egress import EgressError, Policy

PUBLIC = Policy.parse("public")
LOOPBACK = Policy.parse("loopback", own=[("127.0.0.1", 8642)])
NAT64 = Policy.parse("public", ["[64:ff9b::/96]:443"])


@pytest.mark.parametrize("block", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"])
def test_check_address_at_the_ends_of_private_blocks(block: str) -> None:
    """First, middle and last address of a private block are refused."""
    network = ipaddress.ip_network(block)
    for offset in (0, network.num_addresses // 2, network.num_addresses - 1):
        with pytest.raises(EgressError):
            PUBLIC.check_address("h", str(network[offset]), 80)


@given(st.ip_addresses(v=4))
def test_check_address_agrees_over_every_ipv6_twin(address: ipaddress.IPv4Address) -> None:
    """The mapped twin of an IPv4 address gets its verdict; tunnels to it never open."""
    assert _passes("h", f"::ffff:{address}") == _passes("h", str(address))
    for prefix in ("::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"):
        assert not _passes("h", f"{prefix}{address}")
    assert not _passes("h", str(ipaddress.IPv6Address(0x2002 << 112 | int(address) << 80)))


@given(st.ip_addresses(v=6))
def test_check_address_never_passes_what_the_library_calls_private(
    address: ipaddress.IPv6Address,
) -> None:
    """Our table is at least as strict as the standard library's, and passes only 2000::/3."""
    if _passes("h", str(address)) and address.ipv4_mapped is None:
        assert address.is_global
        assert address in ipaddress.ip_network("2000::/3")


@pytest.mark.parametrize("address", ["", "host", "fe80::1%eth0", "2606:4700::1%1"])
def test_check_address_when_it_is_none(address: str) -> None:
    """What is no address, or has a zone, is refused."""
    assert not _passes("h", address)


def test_check_url_in_loopback_mode() -> None:
    """Every loopback port opens but our own; private networks stay closed."""
    for url in ("http://localhost:1234/", "http://127.0.0.1:6379/", "http://[::1]:9/"):
        LOOPBACK.check_url(url)
    for url in ("http://localhost:8642/", "http://127.0.0.9:8642/", "http://[::1]:8642/"):
        with pytest.raises(EgressError) as caught:
            LOOPBACK.check_url(url)
        assert caught.value.code == "self_connection"
    for url in ("http://10.0.0.1/", "http://0.0.0.0:80/", "http://169.254.169.254/"):
        with pytest.raises(EgressError):
            LOOPBACK.check_url(url)


def test_check_address_in_loopback_mode_when_a_name_leads_home() -> None:
    """Loopback opens to who asks for it by name, not to a public name that resolves to it."""
    LOOPBACK.check_address("localhost", "127.0.0.1", 9200)
    with pytest.raises(EgressError):
        LOOPBACK.check_address("rebind.example", "127.0.0.1", 9200)


@pytest.mark.parametrize("own", ["127.0.0.1", "localhost", "0.0.0.0", "::"])  # noqa: S104 - a bind
def test_check_address_when_it_is_our_own(own: str) -> None:
    """Our own port is refused over loopback and, for wildcard binds, over private addresses."""
    policy = Policy.parse("loopback", ["10.0.0.0/8:*"], [(own, 8642)])
    with pytest.raises(EgressError) as caught:
        policy.check_address("localhost", "127.0.0.1", 8642)
    assert caught.value.code == "self_connection"
    wildcard = own in ("0.0.0.0", "::")  # noqa: S104 - a bind
    assert _passes("h", "10.0.0.1", 8642, policy) is not wildcard
    assert _passes("h", "8.8.8.8", 8642, policy)


def test_check_url_when_it_is_our_public_name() -> None:
    """The service's own public name and port are refused, other ports of it are not."""
    policy = Policy.parse("public", own=[("Eval.Example", 443)])
    with pytest.raises(EgressError) as caught:
        policy.check_url("https://eval.example/v1")
    assert caught.value.code == "self_connection"
    with pytest.raises(EgressError):
        policy.check_address("eval.example", "8.8.8.8", 443)
    policy.check_url("https://eval.example:8443/v1")


def test_check_url_when_the_operator_opened_it() -> None:
    """An opening holds for its address and port only."""
    policy = Policy.parse("public", ["10.0.0.5:9200", "search.corp:6379"])
    policy.check_url("http://10.0.0.5:9200/")
    policy.check_url("http://search.corp:6379/")
    policy.check_address("search.corp", "10.9.9.9", 6379)
    for host, address, port in [
        ("h", "10.0.0.5", 9201),
        ("h", "10.0.0.6", 9200),
        ("other.corp", "10.9.9.9", 6379),
    ]:
        assert not _passes(host, address, port, policy)
    with pytest.raises(EgressError) as caught:
        policy.check_url("http://other.corp:5432/")
    assert caught.value.code == "port_not_allowed"


def test_check_url_when_a_network_was_opened_on_every_port() -> None:
    """A name may lead into the network, so its port is judged when it is dialled."""
    policy = Policy.parse("public", ["[fd00::/8]:*"])
    policy.check_url("http://[fd00::1]:22/")
    policy.check_url("http://search.corp:5432/")
    policy.check_address("search.corp", "fd00::1", 5432)
    assert not _passes("search.corp", "8.8.8.8", 5432, policy)


@pytest.mark.parametrize(
    ("entry", "host", "address"),
    [
        ("169.254.0.0/16:*", "h", "169.254.169.254"),
        ("[fd00::/8]:*", "h", "fd00:ec2::254"),
        ("imds.example:80", "imds.example", "169.254.169.254"),
        ("metadata:80", "metadata", "8.8.8.8"),
        ("[64:ff9b::/96]:*", "h", "64:ff9b::a9fe:a9fe"),
        ("0.0.0.0/8:80", "h", "0.0.0.9"),
    ],
)
def test_check_address_when_metadata_was_opened(entry: str, host: str, address: str) -> None:
    """No opening reaches a metadata service or this host's own block."""
    assert not _passes(host, address, 80, Policy.parse("public", [entry]))


def test_check_address_when_a_translator_was_opened() -> None:
    """An opened NAT64 network leads to public addresses only."""
    assert _passes("h", "64:ff9b::808:808", 443, NAT64)
    assert not _passes("h", "64:ff9b::a00:1", 443, NAT64)
    both = Policy.parse("public", ["[64:ff9b::/96]:443", "10.0.0.0/8:443"])
    assert _passes("h", "64:ff9b::a00:1", 443, both)


@pytest.mark.parametrize(
    "entry",
    [
        *("0.0.0.0/0:80", "0.0.0.0/7:*", "[::/0]:443", "10.0.0.5", "10.0.0.0/8", "host:", ":80"),
        *("h:x", "h:0", "fd00::1:80x", "10.0.0.1/8:80", "a:b:80"),
    ],
)
def test_parse_when_an_opening_is_too_wide_or_unreadable(entry: str) -> None:
    """An entry without port or wider than /8 stops the start."""
    with pytest.raises(ValueError, match="'"):
        Policy.parse("public", [entry])


def test_parse_when_the_mode_is_unknown() -> None:
    """A mode that does not exist stops the start."""
    with pytest.raises(ValueError, match="public or loopback"):
        Policy.parse("private")


def _passes(host: str, address: str, port: int = 80, policy: Policy = PUBLIC) -> bool:
    try:
        policy.check_address(host, address, port)
    except EgressError:
        return False
    return True
