"""Reading a URL strictly, once: what is not plainly a host, port and path is refused."""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final

from reteval.contract import limits
from service.egress.addresses import read_address
from service.egress.errors import EgressError

_PORTS: Final = {"http": 80, "https": 443}
_MAX_PORT: Final = 65_535
_MAX_HOST: Final = 253

_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_URL: Final = re.compile(r"[A-Za-z]+://([^/?#]*)((?:/[^?#]*)?)((?:\?[^#]*)?)")
_AUTHORITY: Final = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<name>[^:\[\]]*))(?::(?P<port>.*))?")
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT: Final = re.compile(r"[0-9]{1,5}")
# IDNA 2003 and 2008 disagree about these: the caller has to say which name is meant.
_DEVIATIONS: Final = frozenset("\u00df\u03c2\u200c\u200d")


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart: host in ASCII and lower case, `path` with its query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port; a default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        """The URL in its one canonical spelling."""
        return self.origin + self.path


def parse_url(url: str) -> Target:
    """Take a URL apart.

    Raises:
        EgressError: it is not exactly scheme, host, port and path; the code says what is wrong.
    """
    if len(url) > limits.MAX_URL_CHARS:
        raise EgressError("bad_url", f"a URL has at most {limits.MAX_URL_CHARS} characters")
    if _UNSAFE.search(url):
        raise EgressError("bad_url", "a URL holds no white space, control or backslash; encode it")
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1].lower() not in _PORTS:
        raise EgressError("scheme_not_allowed", "the URL must begin with http:// or https://")
    match = _URL.fullmatch(url)
    if match is None:
        raise EgressError("bad_url", "write the URL as http(s)://host[:port]/path, no #fragment")
    authority, path, query = match.groups()
    if "@" in authority:
        raise EgressError("userinfo_not_allowed", "send credentials in a header, not in the URL")
    if not (path + query).isascii():
        raise EgressError("bad_url", "percent-encode the URL's path and query")
    host, port = _parse_authority(authority)
    lower = scheme[1].lower()
    return Target(scheme=lower, host=host, port=port or _PORTS[lower], path=(path or "/") + query)


def name_origin(url: str) -> str:
    """Return scheme, host and port of a URL, for a log; of one that is none, what is wrong."""
    try:
        return parse_url(url).origin
    except EgressError as exc:
        return exc.code


def _parse_authority(authority: str) -> tuple[str, int | None]:
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise EgressError("bad_url", "the URL's host and port cannot be read")
    port = match["port"]
    if port is not None and not is_port(port):
        raise EgressError("bad_url", "a port is a number from 1 to 65535")
    host = _parse_v6(match["v6"]) if match["v6"] is not None else _parse_name(match["name"])
    return host, int(port) if port else None


def _parse_v6(text: str) -> str:
    try:
        return str(IPv6Address(text if "%" not in text else ""))
    except ValueError as exc:
        raise EgressError("bad_url", "the IPv6 address cannot be read (zones are refused)") from exc


def _parse_name(text: str) -> str:
    host = text.lower()
    if not host.isascii():
        host = _to_ascii(host)
    host = host.removesuffix(".")
    labels = host.split(".")
    if len(host) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise EgressError("bad_url", "the URL's host is no valid name")
    # Resolvers read 127.1, 2130706433 and 0x7f.1 as addresses: only the plain form is one.
    if _NUMERIC.fullmatch(labels[-1]) and read_address(host) is None:
        raise EgressError("address_not_allowed", "write an IPv4 address as four decimal numbers")
    return host


def _to_ascii(host: str) -> str:
    if _DEVIATIONS.intersection(host):
        raise EgressError("bad_url", "write this international name in its xn-- form")
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError as exc:
        raise EgressError("bad_url", "the URL's host is no valid international name") from exc


def is_port(text: str) -> bool:
    """Whether a text is a port number in plain digits."""
    return bool(_PORT.fullmatch(text)) and 1 <= int(text) <= _MAX_PORT
