"""The policy of a deployment: its mode, what the operator opened, and what is its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Final

from service.egress.addresses import (
    DENIED_PORTS,
    NEVER_NAMES,
    Address,
    Network,
    carried_addresses,
    is_local,
    is_local_name,
    is_never_open,
    is_public,
    is_same_host,
    read_address,
)
from service.egress.errors import EgressError
from service.egress.urls import Target, is_port, parse_url

_MIN_PREFIX: Final = 8

_NOT_ALLOWED: Final = (
    "the endpoint's address may not be called; use a public one, or have the operator open it"
)
_OWN: Final = "the endpoint is this service itself; name the search service instead"
_PORT_CLOSED: Final = "the endpoint's port is none for HTTP; have the operator open it if it is"


@dataclass(frozen=True, slots=True)
class _Opening:
    """A pair the operator opened; `port` None is any."""

    host: str | Network
    port: int | None

    def covers(self, host: str, address: Address | None, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if isinstance(self.host, str):
            return self.host == host
        return address is None or address in self.host


@dataclass(frozen=True, slots=True)
class Policy:
    """What this deployment may call; build it with `parse`."""

    loopback: bool
    openings: tuple[_Opening, ...]
    own: tuple[tuple[str, int], ...]

    @classmethod
    def parse(
        cls, mode: str, allow: Sequence[str] = (), own: Sequence[tuple[str, int]] = ()
    ) -> "Policy":
        """Read the operator's settings.

        `mode` is `public`, or `loopback` for loopback ports besides. `allow` holds
        `host-or-CIDR:port` (an IPv6 network in brackets, port `*` for any); `own` the
        hosts and ports of the service itself and of its store, which never open.

        Raises:
            ValueError: an unknown mode, an entry without port, or a network wider than /8.
        """
        if mode not in ("public", "loopback"):
            raise ValueError(f"egress mode {mode!r}: use public or loopback")
        return cls(
            loopback=mode == "loopback",
            openings=tuple(_parse_opening(entry) for entry in allow),
            own=tuple((_plain(host), port) for host, port in own),
        )

    def check_url(self, url: str) -> Target:
        """Judge everything about a URL that needs no name resolution.

        Raises:
            EgressError: the URL cannot be read, or its target may not be called.
        """
        target = parse_url(url)
        if read_address(target.host) is not None:
            self.check_address(target.host, target.host, target.port)
        elif is_local_name(target.host):
            self.check_address(target.host, "127.0.0.1", target.port)
        else:
            self._check_name(target.host, target.port)
        return target

    def check_address(self, host: str, address: str, port: int) -> None:
        """Judge one address that `host` stands for, at the moment of dialling.

        Raises:
            EgressError: the address or the port may not be called.
        """
        found = read_address(address)
        if found is None:
            raise EgressError("address_not_allowed", _NOT_ALLOWED)
        forms = (found, *carried_addresses(found))
        if host in NEVER_NAMES or any(is_never_open(form) for form in forms):
            raise EgressError("address_not_allowed", _NOT_ALLOWED)
        if self._is_own(host, forms, port):
            raise EgressError("self_connection", _OWN)
        if self.loopback and found.is_loopback and is_local(host):
            return
        # A network opened for NAT64 opens its envelope, not the private address inside it.
        judged = forms[1:] if self._is_opened(host, found, port) else forms[:1]
        for form in judged:
            if not self._is_opened(host, form, port):
                _check_public(form, port)

    def _check_name(self, host: str, port: int) -> None:
        if host in NEVER_NAMES:
            raise EgressError("address_not_allowed", _NOT_ALLOWED)
        if (host, port) in self.own:
            raise EgressError("self_connection", _OWN)
        if port in DENIED_PORTS and not self._is_opened(host, None, port):
            raise EgressError("port_not_allowed", _PORT_CLOSED)

    def _is_opened(self, host: str, address: Address | None, port: int) -> bool:
        return any(opening.covers(host, address, port) for opening in self.openings)

    def _is_own(self, host: str, forms: Sequence[Address], port: int) -> bool:
        for own_host, own_port in self.own:
            if own_port != port:
                continue
            if own_host == host:
                return True
            address = read_address("127.0.0.1" if is_local_name(own_host) else own_host)
            if address is not None and any(is_same_host(address, form) for form in forms):
                return True
        return False


def _parse_opening(entry: str) -> _Opening:
    host, colon, port = entry.strip().rpartition(":")
    known_port = port == "*" or is_port(port)
    if not colon or not host or not known_port or host.count(":") == 1:
        raise ValueError(f"{entry!r}: write host-or-CIDR:port, with * for any port")
    bare = _plain(host)
    network = _parse_network(bare, entry)
    return _Opening(host=network or bare, port=None if port == "*" else int(port))


def _parse_network(text: str, entry: str) -> Network | None:
    if "/" not in text and read_address(text) is None:
        return None
    try:
        network = ip_network(text)
    except ValueError as exc:
        raise ValueError(f"{entry!r}: {exc}") from exc
    if network.prefixlen < _MIN_PREFIX:
        raise ValueError(f"{entry!r}: a network wider than /{_MIN_PREFIX} opens too much")
    return network


def _plain(host: str) -> str:
    return host.strip().strip("[]").lower().removesuffix(".")


def _check_public(address: Address, port: int) -> None:
    if not is_public(address):
        raise EgressError("address_not_allowed", _NOT_ALLOWED)
    if port in DENIED_PORTS:
        raise EgressError("port_not_allowed", _PORT_CLOSED)
