"""The connection to Redis: the commands we use, and the boundary where its errors become ours.

Commands may be sent again after a lost connection, so only idempotent ones are here.
"""

from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import BusyLoadingError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.errors import StorageFullError, StoreUnavailableError

TIMEOUT_S: Final = 5.0
RETRIES: Final = 2
_REFUSALS: Final = ("MISCONF", "NOREPLICAS", "MASTERDOWN", "LOADING", "READONLY")


class Connection:
    """A pool of connections; every failure is `StoreUnavailableError` or `StorageFullError`."""

    def __init__(self, redis: Any) -> None:
        self._redis = redis

    @classmethod
    def open(cls, url: str) -> "Connection":
        """Make a pool; it connects at its first command."""
        retry = Retry(ExponentialWithJitterBackoff(cap=0.5, base=0.05), RETRIES)
        return cls(
            Redis.from_url(
                url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=retry
            )
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.aclose()

    async def get(self, key: str) -> bytes | None:
        """Return a string."""
        value: bytes | None = await _call(self._redis.get(key))
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
        return bool(await _call(self._redis.set(key, value, nx=only_new, px=lifetime_ms)))

    async def expire(self, key: str, lifetime_ms: int) -> bool:
        """Let a key live that long from now; False if it is gone."""
        return bool(await _call(self._redis.pexpire(key, lifetime_ms)))

    async def exists(self, key: str) -> bool:
        """Tell whether a key is there."""
        return bool(await _call(self._redis.exists(key)))

    async def unlink(self, *keys: str) -> None:
        """Delete keys; the memory is freed in the background."""
        await _call(self._redis.unlink(*keys))

    async def hget(self, key: str, field: str) -> bytes | None:
        """Return a field of a hash."""
        value: bytes | None = await _call(self._redis.hget(key, field))
        return value

    async def hmget(self, key: str, fields: Iterable[str]) -> list[bytes | None]:
        """Return fields of a hash, None for those that are missing."""
        values: list[bytes | None] = await _call(self._redis.hmget(key, list(fields)))
        return values

    async def hgetall(self, key: str) -> dict[str, bytes]:
        """Return a whole hash; empty if it is missing."""
        fields: Mapping[bytes, bytes] = await _call(self._redis.hgetall(key))
        return {name.decode(): value for name, value in fields.items()}

    async def hkeys(self, key: str) -> list[str]:
        """Return the field names of a hash."""
        return [name.decode() for name in await _call(self._redis.hkeys(key))]

    async def hset(self, key: str, field: str, value: bytes) -> None:
        """Write a field of a hash."""
        await _call(self._redis.hset(key, field, value))

    async def hvals(self, key: str) -> list[bytes]:
        """Return the values of a hash."""
        values: list[bytes] = await _call(self._redis.hvals(key))
        return values

    async def xrevrange(
        self, key: str, *, below: str | None = None, limit: int
    ) -> list[tuple[str, dict[str, str]]]:
        """Return entries of a stream with their ids, newest first, below an id."""
        newest = f"({below}" if below else "+"
        rows = await _call(self._redis.xrevrange(key, newest, "-", count=limit))
        return [
            (entry.decode(), {name.decode(): value.decode() for name, value in fields.items()})
            for entry, fields in rows
        ]

    async def zrange(self, key: str) -> list[str]:
        """Return the members of a sorted set, lowest first."""
        return [member.decode() for member in await _call(self._redis.zrange(key, 0, -1))]

    async def zscores(self, key: str) -> dict[str, int]:
        """Return all members of a sorted set with their whole-number scores."""
        rows = await _call(self._redis.zrange(key, 0, -1, withscores=True))
        return {member.decode(): int(score) for member, score in rows}

    async def smembers(self, key: str) -> list[str]:
        """Return the members of a set, sorted."""
        return sorted(member.decode() for member in await _call(self._redis.smembers(key)))

    async def zrevrange(
        self, key: str, *, below: str | None = None, limit: int
    ) -> list[tuple[str, str]]:
        """Return members with their whole-number scores, highest first, below a score."""
        rows = await _call(
            self._redis.zrevrangebyscore(
                key, f"({below}" if below else "+inf", "-inf", start=0, num=limit, withscores=True
            )
        )
        return [(member.decode(), f"{score:.0f}") for member, score in rows]

    async def info(self, section: str) -> dict[str, Any]:
        """Return a section of the server's own account of itself."""
        section_values: dict[str, Any] = await _call(self._redis.info(section))
        return section_values

    async def now_ms(self) -> int:
        """Return the server's clock."""
        seconds, micros = await _call(self._redis.time())
        return int(seconds) * 1_000 + int(micros) // 1_000

    async def run(self, script: Any, keys: list[str], args: list[str | bytes | int]) -> Any:
        """Run a registered script."""
        return await _call(script(keys=keys, args=args))

    def register(self, text: str) -> Any:
        """Prepare a Lua script for `run`."""
        return self._redis.register_script(text)


async def _call(command: Awaitable[Any]) -> Any:
    try:
        return await command
    except OutOfMemoryError as exc:
        raise _full() from exc
    except (RedisConnectionError, RedisTimeoutError, BusyLoadingError, ReadOnlyError) as exc:
        raise _unavailable() from exc
    except ResponseError as exc:
        if "OOM " in str(exc):
            raise _full() from exc
        if any(word in str(exc) for word in _REFUSALS):
            raise _unavailable() from exc
        raise


def _full() -> StorageFullError:
    return StorageFullError("The store has reached its memory bound; delete runs, then try again.")


def _unavailable() -> StoreUnavailableError:
    return StoreUnavailableError("The store does not answer or refuses writes; try again shortly.")
