"""What the store holds, for tests of what a request changed."""

import redis

from service.store.staging import STAGING_MS


def snapshot(url: str) -> dict[str, bytes]:
    """Return all that is stored of teams, but for idempotency entries, and for the audit log."""
    with redis.Redis.from_url(url) as server:
        names = [name.decode() for name in server.scan_iter("t:*")]
        passing = (":idempotency:", "t:_:audit", "t:_:probe", "t:_:reaper", "t:_:tenants")
        kept = [name for name in names if not any(word in name for word in passing)]
        lasting = [name for name in kept if not 0 <= server.pttl(name) <= STAGING_MS]
        return {name: _read(server, name) for name in lasting}


def count_stored(url: str) -> int:
    """Count what is stored, each member of a collection as one."""
    sizes = {"hash": "hlen", "zset": "zcard", "set": "scard", "stream": "xlen", "list": "llen"}
    total = 0
    with redis.Redis.from_url(url) as server:
        for name in snapshot(url):
            command = sizes.get(server.type(name).decode())
            total += getattr(server, command)(name) if command else 1
    return total


def _read(server: redis.Redis, name: str) -> bytes:
    if server.type(name) == b"hash":  # a dump has its fields in an order that reading may change
        return repr(sorted(server.hgetall(name).items())).encode()
    return server.dump(name) or b""
