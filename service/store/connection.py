"""The connection to Redis: the commands we use, and the boundary where its errors become ours.

Commands may be sent again after a lost connection, so only idempotent ones are here.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final

from msgspec import Struct
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MasterDownError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.errors import CorruptRecordError, ServiceError, StorageFullError, StoreUnavailableError
from service.redis_url import connect_async, sentinels_of

_REFUSALS: Final = ("MISCONF", "NOREPLICAS", "MASTERDOWN", "LOADING", "READONLY", "BUSY")
_DAMAGE: Final = ("WRONGTYPE", "user_script", "hash value is not")
"""What the server says where a value is not what a command or a script of ours takes."""
_STALE: Final = (ReadOnlyError, MasterDownError, RuntimeError)
"""A new connection helps: after a failover the name leads to another server, and uvloop raises
RuntimeError where a connection was reset before something is written to it."""


class Patience(Struct, frozen=True, kw_only=True):
    """How long a command may take in all, one reply in particular, and how often it is resent."""

    total_s: float
    reply_s: float
    retries: int


PROMPT: Final = Patience(total_s=2.0, reply_s=2.0, retries=1)
"""Of the API, whose callers wait: better 503 than late."""
STEADY: Final = Patience(total_s=15.0, reply_s=4.0, retries=50)
"""Of a worker, whose work outlasts a restart of the store; less than its lease."""


class Connection:
    """A pool of connections.

    Every failure is `StoreUnavailableError`, `StorageFullError` or `CorruptRecordError`.
    """

    def __init__(self, redis: Any, patience: Patience) -> None:
        self._redis = redis
        self._patience = patience

    @classmethod
    def open(cls, url: str, *, patience: Patience) -> "Connection":
        """Make a pool; it connects at its first command."""
        return cls(
            connect_async(
                url,
                socket_timeout=patience.reply_s,
                socket_connect_timeout=patience.reply_s,
                retry=Retry(ExponentialWithJitterBackoff(cap=0.5, base=0.05), patience.retries),
                retry_on_error=list(_STALE),
            ),
            patience,
        )

    async def close(self) -> None:
        """Close every connection."""
        for client in (self._redis, *sentinels_of(self._redis)):
            await client.aclose()

    async def get(self, key: str) -> bytes | None:
        """Return a string."""
        value: bytes | None = await self._call(self._redis.get(key))
        return value

    async def set(
        self,
        key: str,
        value: str | bytes,
        *,
        only_new: bool = False,
        lifetime_ms: int | None = None,
    ) -> bool:
        """Write a string; False if it had to be new and was not."""
        return bool(await self._call(self._redis.set(key, value, nx=only_new, px=lifetime_ms)))

    async def expire(self, key: str, lifetime_ms: int) -> bool:
        """Let a key live that long from now; False if it is gone."""
        return bool(await self._call(self._redis.pexpire(key, lifetime_ms)))

    async def exists(self, key: str) -> bool:
        """Tell whether a key is there."""
        return bool(await self._call(self._redis.exists(key)))

    async def unlink(self, *keys: str) -> None:
        """Delete keys; the memory is freed in the background."""
        await self._call(self._redis.unlink(*keys))

    async def hget(self, key: str, field: str) -> bytes | None:
        """Return a field of a hash."""
        value: bytes | None = await self._call(self._redis.hget(key, field))
        return value

    async def hmget(self, key: str, fields: Iterable[str]) -> list[bytes | None]:
        """Return fields of a hash, None for those that are missing."""
        values: list[bytes | None] = await self._call(self._redis.hmget(key, list(fields)))
        return values

    async def hgetall(self, key: str) -> dict[str, bytes]:
        """Return a whole hash; empty if it is missing."""
        fields: Mapping[bytes, bytes] = await self._call(self._redis.hgetall(key))
        return {name.decode(): value for name, value in fields.items()}

    async def hkeys(self, key: str) -> list[str]:
        """Return the field names of a hash."""
        return [name.decode() for name in await self._call(self._redis.hkeys(key))]

    async def hset(self, key: str, field: str, value: bytes) -> None:
        """Write a field of a hash."""
        await self._call(self._redis.hset(key, field, value))

    async def hset_for(self, key: str, fields: dict[str, bytes], *, lifetime_ms: int) -> None:
        """Write fields of a hash that lives that long from now."""
        both = self._redis.pipeline(transaction=False)
        both.hset(key, mapping=fields)
        both.pexpire(key, lifetime_ms)
        await self._call(both.execute())

    async def hvals(self, key: str) -> list[bytes]:
        """Return the values of a hash."""
        values: list[bytes] = await self._call(self._redis.hvals(key))
        return values

    async def xrevrange(
        self, key: str, *, below: str | None = None, limit: int
    ) -> list[tuple[str, dict[str, str]]]:
        """Return entries of a stream with their ids, newest first, below an id."""
        newest = f"({below}" if below else "+"
        rows = await self._call(self._redis.xrevrange(key, newest, "-", count=limit))
        return [
            (entry.decode(), {name.decode(): value.decode() for name, value in fields.items()})
            for entry, fields in rows
        ]

    async def zrange(self, key: str) -> list[str]:
        """Return the members of a sorted set, lowest first."""
        return [member.decode() for member in await self._call(self._redis.zrange(key, 0, -1))]

    async def zrangebyscore(
        self, key: str, *, above: str | None = None, below: str | None = None, limit: int
    ) -> list[tuple[str, str]]:
        """Return members with their whole-number scores, lowest first, between two scores."""
        low, high = f"({above}" if above else "-inf", f"({below}" if below else "+inf"
        rows = await self._call(
            self._redis.zrangebyscore(key, low, high, start=0, num=limit, withscores=True)
        )
        return [(member.decode(), f"{score:.0f}") for member, score in rows]

    async def zscores(self, key: str) -> dict[str, int]:
        """Return all members of a sorted set with their whole-number scores."""
        rows = await self._call(self._redis.zrange(key, 0, -1, withscores=True))
        return {member.decode(): int(score) for member, score in rows}

    async def sadd(self, key: str, members: Iterable[str]) -> None:
        """Add members to a set."""
        await self._call(self._redis.sadd(key, *members))

    async def smembers(self, key: str) -> list[str]:
        """Return the members of a set, sorted."""
        return sorted(member.decode() for member in await self._call(self._redis.smembers(key)))

    async def zrevrange(
        self, key: str, *, below: str | None = None, limit: int
    ) -> list[tuple[str, str]]:
        """Return members with their whole-number scores, highest first, below a score."""
        rows = await self._call(
            self._redis.zrevrangebyscore(
                key, f"({below}" if below else "+inf", "-inf", start=0, num=limit, withscores=True
            )
        )
        return [(member.decode(), f"{score:.0f}") for member, score in rows]

    async def zrem(self, key: str, member: str) -> None:
        """Take a member out of a sorted set."""
        await self._call(self._redis.zrem(key, member))

    async def zscore(self, key: str, member: str) -> str | None:
        """Return the whole-number score of a member, None where it is not in the set."""
        score = await self._call(self._redis.zscore(key, member))
        return None if score is None else f"{score:.0f}"

    async def zcard(self, key: str) -> int:
        """Return the size of a sorted set."""
        return int(await self._call(self._redis.zcard(key)))

    async def info(self, section: str = "default") -> dict[str, Any]:
        """Return the server's account of itself, or one section of it."""
        account: dict[str, Any] = await self._call(self._redis.info(section))
        return account

    async def now_ms(self) -> int:
        """Return the server's clock."""
        seconds, micros = await self._call(self._redis.time())
        return int(seconds) * 1_000 + int(micros) // 1_000

    async def run(self, script: Any, keys: list[str], args: list[str | bytes | int]) -> Any:
        """Run a registered script."""
        return await self._call(script(keys=keys, args=args))

    def register(self, text: str) -> Any:
        """Prepare a Lua script for `run`."""
        return self._redis.register_script(text)

    async def _call(self, command: Awaitable[Any]) -> Any:
        try:
            async with asyncio.timeout(self._patience.total_s):
                return await command
        except OutOfMemoryError as exc:
            raise _full() from exc
        except (RedisConnectionError, RedisTimeoutError, TimeoutError, *_STALE) as exc:
            raise _unavailable() from exc
        except ResponseError as exc:
            known = _translate(str(exc))
            if known is None:
                raise
            raise known from exc


def _translate(said: str) -> ServiceError | None:
    """Return our error for one that the server answered; None for a defect of ours."""
    if "OOM " in said:
        return _full()
    if any(word in said for word in _REFUSALS):
        return _unavailable()
    if any(word in said for word in _DAMAGE):
        return CorruptRecordError("A stored record does not have the form that it must have.")
    return None


def _full() -> StorageFullError:
    return StorageFullError("The store has reached its memory bound; delete runs, then try again.")


def _unavailable() -> StoreUnavailableError:
    return StoreUnavailableError("The store does not answer or refuses writes; try again shortly.")
