"""How many requests a key, or an address, may send: counted for all processes, by one clock."""

from msgspec import Struct

from service.store import keys
from service.store.scripts import Scripts


class RateRule(Struct, frozen=True, kw_only=True):
    """So many requests in so many seconds, and so many a day for the whole team; 0: no limit.

    A team's own limits go before these.
    """

    requests: int
    window_s: int
    per_day: int = 0


class Grant(Struct, frozen=True, kw_only=True):
    """Requests that were taken, and where that leaves the key and the day of its team.

    None `granted`: no request is left; of the key the next one is in `next_ms`, if that is not 0.
    """

    granted: int
    requests: int
    window_s: int
    left: int
    full_ms: int
    next_ms: int
    per_day: int
    spent: int
    now_s: int


class Rates:
    """What keys and addresses have sent lately."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def take(
        self, tenant: str, caller: str, rule: RateRule, *, wanted: int = 1, unused: int = 0
    ) -> Grant:
        """Take requests, at least one where one is left; `unused` of those taken before come back.

        A day is counted for teams only, not for what happens outside of them.
        """
        found = await self._scripts.run(
            "take_requests",
            [keys.rate(tenant, caller), keys.own_limits(tenant)],
            [
                rule.requests,
                rule.window_s,
                rule.per_day,
                wanted,
                unused,
                "" if tenant == keys.SYSTEM_TENANT else tenant,
            ],
        )
        return Grant(**dict(zip(Grant.__struct_fields__, map(int, found), strict=True)))
