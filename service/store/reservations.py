"""Memory set aside for runs, so that all that were accepted can end."""

from service.store import keys
from service.store.scripts import Scripts


class Reservations:
    """Bytes that runs under way may still come to need."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts

    async def take(
        self, tenant: str, run_id: str, *, need: int, kept: int, left: int
    ) -> tuple[bool, int]:
        """Set `need` bytes aside for a run, unless others leave it less of the `left` ones.

        What a run still needs shrinks to what it will have `kept` as it gets on; one that has
        ended, or was not created within a minute, needs nothing. Also answers what was left.
        """
        granted, free = await self._scripts.run(
            "reserve",
            [keys.RESERVED],
            [f"{tenant}/{run_id}", keys.job(tenant, run_id), need, kept, left],
        )
        return bool(granted), int(free)
