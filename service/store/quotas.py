"""What teams may use and what they use: told here, refused by the scripts that make something."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.quotas import QuotaName, QuotaRefusal
from service.errors import QuotaExceededError
from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts, text

Quotas = Mapping[str, int]
"""The quotas in force, each with the deployment's value; 0: none but what a team has of its own."""
NO_QUOTAS: Final[Quotas] = {}
DAY_S: Final = 86_400
_SOON_S: Final = 5
"""When to try again what frees as runs get on."""
_WAYS_OUT: Final = {
    QuotaName.CONCURRENT_RUNS: "Runs beyond it wait.",
    QuotaName.QUEUED_RUNS: "Wait until some have ended, or cancel some (GET /v1/runs).",
    QuotaName.QUERIES_PER_DAY: "The day begins anew at midnight UTC; until then send fewer "
    "queries or variants.",
    QuotaName.REQUESTS_PER_DAY: "The day begins anew at midnight UTC.",
    QuotaName.STORED_BYTES: "Delete runs and test sets (GET /v1/usage); runs that have not ended "
    "count with the most they may come to keep.",
    QuotaName.TEST_SETS: "Delete test sets that are not in use (GET /v1/test-sets).",
}


class Standing(Struct, frozen=True, kw_only=True):
    """A team's limits and its use of each, by name, at the server's time."""

    now_s: int
    limits: dict[str, int]
    used: dict[str, int]


class Allowances:
    """The limits of teams."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def standing(self, tenant: str, quotas: Quotas) -> Standing:
        """Return how far a team has used what it may."""
        found = await self._scripts.run(
            "read_quotas",
            [keys.test_sets(tenant), keys.sizes(tenant)],
            [tenant, encode_quotas(quotas)],
        )
        return msgspec.json.decode(found, type=Standing, strict=False)

    async def own(self, tenant: str) -> dict[str, int]:
        """Return the limits that a team has of its own, by name."""
        found = await self._connection.hgetall(keys.own_limits(tenant))
        return {name: int(value) for name, value in found.items()}

    async def put_own(self, tenant: str, limits: Mapping[str, int]) -> None:
        """Give a team limits of its own, in place of those it had."""
        words: list[str | bytes | int] = [word for pair in limits.items() for word in pair]
        await self._scripts.run("put_limits", [keys.own_limits(tenant)], words)


def encode_quotas(quotas: Quotas) -> bytes:
    """Write quotas as the scripts read them."""
    return msgspec.json.encode(dict(quotas))


def check_refusal(reply: Any) -> None:
    """See that a script did not refuse for a quota.

    Raises:
        QuotaExceededError: it did.
    """
    verdict, *rest = reply
    if text(verdict) == "quota":
        name, limit, used, asked, now_s = rest
        raise refuse(QuotaName(text(name)), limit=limit, used=used, asked=asked, now_s=now_s)


def refuse(name: QuotaName, *, limit: int, used: int, asked: int, now_s: int) -> QuotaExceededError:
    """Return the error of a quota that has no room for what is asked."""
    return QuotaExceededError(
        f"The team may have {limit:,} {name.unit}; {used:,} are used, and this needs {asked:,} "
        f"more. {_WAYS_OUT[name]}",
        retry_after_s=_frees_in_s(name, now_s),
        quota=QuotaRefusal(name=name, limit=limit, used=used, asked=asked),
    )


def _frees_in_s(name: QuotaName, now_s: int) -> int | None:
    if name.daily:
        return DAY_S - now_s % DAY_S
    return _SOON_S if name is QuotaName.QUEUED_RUNS else None
