"""The address and port tables: what is public, what never opens, what hides inside IPv6."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA's special-purpose registries and everything else that is not public unicast.
_DENIED: Final = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
_PUBLIC_V6: Final = IPv6Network("2000::/3")

# Cloud metadata services, link-local and "this host": above anything an operator allows.
_NEVER: Final = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32"),
        *("168.63.129.16/32", "::/128", "fe80::/10", "fd00:ec2::254/128", "fd20:ce::254/128"),
    )
)
NEVER_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"}
)

# IPv6 blocks that carry an IPv4 address in their last 32 bits.
_CARRIERS: Final = tuple(
    IPv6Network(block) for block in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)

# Ports where something else than HTTP listens: a request must not be able to talk to it.
DENIED_PORTS: Final = frozenset(
    {
        *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 79, 109, 110, 111),
        *(113, 115, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 445, 465, 512, 513),
        *(514, 515, 540, 548, 554, 563, 587, 601, 631, 636, 873, 989, 990, 993, 995, 1080, 1433),
        *(1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3260, 3306, 3389),
        *(3659, 4045, 4190, 4369, 5060, 5061, 5432, 5433, 5671, 5672, 5900, 5901, 6000, 6379, 6380),
        *(6566, *range(6665, 6670), 6697, 8883, 9042, 9092, 10250, 11211, 26379, 27017, 27018),
        27019,
    }
)


def read_address(text: str) -> Address | None:
    """Return the address, a mapped IPv4 one as itself; None for names and zones."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return None
        return address.ipv4_mapped or address
    return address


def carried_addresses(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that tunnels and translators would take from an IPv6 one."""
    if isinstance(address, IPv4Address):
        return ()
    if address.teredo is not None:
        return address.teredo
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if any(address in carrier for carrier in _CARRIERS) and not address.is_loopback:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    return ()


def is_public(address: Address) -> bool:
    """Whether an address is public unicast; IPv6 outside 2000::/3 never is."""
    outside = isinstance(address, IPv6Address) and address not in _PUBLIC_V6
    return not outside and not any(address in network for network in _DENIED)


def is_never_open(address: Address) -> bool:
    """Whether no operator can open this address."""
    return any(address in network for network in _NEVER)


def is_local_name(host: str) -> bool:
    """Whether a name means this machine by definition."""
    return host == "localhost" or host.endswith(".localhost")


def is_local(host: str) -> bool:
    """Whether the caller asked for this machine by name or literal, not through DNS."""
    address = read_address(host)
    return is_local_name(host) if address is None else address.is_loopback


def is_same_host(own: Address, address: Address) -> bool:
    """Whether a bind to `own` may answer at `address`; a wildcard bind answers anywhere here."""
    if own.is_unspecified:
        return not is_public(address)
    return own == address or (own.is_loopback and address.is_loopback)
