"""How to reach Redis: one server, or sentinels that know which of several servers leads.

`redis://`, `rediss://` (TLS) and `unix://` are redis-py's own. `redis+sentinel://` and
`rediss+sentinel://` name the sentinels and what they call the servers:
`redis+sentinel://user:password@host:port,host:port/name/db?sentinel_password=…`.
"""

from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import redis
import redis.asyncio
from msgspec import Struct
from redis.asyncio.sentinel import SentinelManagedConnection as SentinelManaged
from redis.asyncio.sentinel import SentinelManagedSSLConnection as SentinelManagedTls
from redis.connection import SSLConnection, parse_url
from redis.sentinel import SentinelManagedConnection

PORT: Final = 6379
SENTINEL_PORT: Final = 26_379
_PLAIN: Final = ("redis", "rediss", "unix")
_SUFFIX: Final = "+sentinel"
_OWN: Final = "sentinel_"
"""Options with this prefix are for the sentinels alone; the servers do not get them."""


class Address(Struct, frozen=True, kw_only=True):
    """Where to connect. `name` is the sentinels' word for the servers; empty for one server.

    `server` is a URL that redis-py reads: with sentinels its host means nothing.
    """

    hosts: tuple[tuple[str, int], ...]
    name: str
    server: str
    sentinel_options: dict[str, str]


def read_address(url: str) -> Address:
    """Take a URL apart.

    Raises:
        ValueError: what is wrong with it; never the URL, which may hold a password.
    """
    parts = urlsplit(url)
    scheme = parts.scheme.removesuffix(_SUFFIX)
    watched = parts.scheme.endswith(_SUFFIX)
    if scheme not in _PLAIN or (watched and scheme == "unix"):
        raise ValueError(
            "use redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel://"
        )
    if not watched:
        hosts = () if scheme == "unix" else (_read_place(parts, PORT),)
        return Address(hosts=hosts, name="", server=url, sentinel_options={})
    login, _, places = parts.netloc.rpartition("@")
    name, _, db = parts.path.strip("/").partition("/")
    if not name:
        raise ValueError("name the servers as the sentinels do: redis+sentinel://host:port/NAME")
    options = dict(parse_qsl(parts.query))
    own = {key: value for key, value in options.items() if key.startswith(_OWN)}
    rest = urlencode({key: value for key, value in options.items() if key not in own})
    at = f"{login}@" if login else ""
    return Address(
        hosts=tuple(_read_place(urlsplit(f"//{p}"), SENTINEL_PORT) for p in places.split(",")),
        name=unquote(name),
        server=f"{scheme}://{at}leader/{db}?{rest}",
        sentinel_options={key.removeprefix(_OWN): value for key, value in own.items()},
    )


class _Leader(SentinelManagedConnection):
    """Is closed when a reply was not read to its end, as redis-py's other connections are.

    Its own sentinel connection goes on (8.1), and answers the next command with the late reply.
    """

    def read_response(self, disable_decoding: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002 - the signature is redis-py's
        return super().read_response(disable_decoding, **{"disconnect_on_error": True, **options})


class _TlsLeader(_Leader, SSLConnection):
    """The same over TLS."""


def connect(url: str, **options: Any) -> Any:
    """Make a synchronous client; it connects at its first command."""
    kinds = {False: _Leader, True: _TlsLeader}
    return _connect(url, redis.Redis, redis.Sentinel, options, kinds)


def connect_async(url: str, **options: Any) -> Any:
    """Make an asynchronous client; it connects at its first command."""
    kinds = {False: SentinelManaged, True: SentinelManagedTls}
    return _connect(url, redis.asyncio.Redis, redis.asyncio.Sentinel, options, kinds)


def _connect(
    url: str, client: Any, sentinel: Any, options: dict[str, Any], kinds: dict[bool, Any]
) -> Any:
    """Go straight to a server, or through sentinels to whoever leads at each connection."""
    address = read_address(url)
    if not address.name:
        return client.from_url(url, **options)
    server = parse_url(address.server)  # type: ignore[no-untyped-call]
    del server["host"]
    tls = server.pop("connection_class", None) is not None
    security = {key: value for key, value in server.items() if key.startswith("ssl_")}
    watch = sentinel(
        address.hosts,
        sentinel_kwargs=options | security | {"ssl": tls} | address.sentinel_options,
        **options,
    )
    return watch.master_for(address.name, redis_class=client, connection_class=kinds[tls], **server)


def sentinels_of(client: Any) -> list[Any]:
    """Return the clients by which a client asks who leads; they are closed with it."""
    watch = getattr(client.connection_pool, "sentinel_manager", None)
    return list(watch.sentinels) if watch else []


def _read_place(parts: SplitResult, port: int) -> tuple[str, int]:
    try:
        found = parts.port
    except ValueError:  # its message shows the text, which may be a part of a password
        raise ValueError(
            "use a number from 0 to 65535 as port, and percent-encode the password"
        ) from None
    if not parts.hostname:
        raise ValueError("name the host, or each sentinel as host:port with commas between them")
    return parts.hostname, found or port
