"""Search endpoints as all workers and tenants share them: when to call, and how many at once."""

from msgspec import Struct

from service.store import keys
from service.store.scripts import Scripts

_MICROS = 1_000_000


class Slots(Struct, frozen=True):
    """Starts granted: `count` of them, the first in `wait_s`, then one each gap.

    With none granted, `wait_s` is how long to wait before asking again.
    """

    count: int
    wait_s: float


class Targets:
    """Pacing by target, on the server's clock."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def take_slots(
        self, target: str, *, wanted: int, rate_per_s: float, ahead_s: float
    ) -> Slots:
        """Reserve up to `wanted` starts within `ahead_s` seconds, spaced for `rate_per_s`."""
        count, wait = await self._scripts.run(
            "take_slots",
            [keys.target_slots(target)],
            [wanted, round(_MICROS / rate_per_s), round(ahead_s * _MICROS)],
        )
        return Slots(count, max(0, wait) / _MICROS)

    async def hold_lanes(
        self, target: str, holder: str, *, wanted: int, most: int, seconds: float
    ) -> int:
        """Hold up to `wanted` of the `most` connections that a target may get; at least one."""
        granted: int = await self._scripts.run(
            "hold_lanes",
            [keys.target_lanes(target)],
            [holder, wanted, most, round(seconds * 1_000)],
        )
        return granted

    async def release_lanes(self, target: str, holder: str) -> None:
        """Give the lanes of a holder back."""
        await self._scripts.run("hold_lanes", [keys.target_lanes(target)], [holder, 0, 0, 0])
