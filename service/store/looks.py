"""Looks at hold-outs: which runs had a look, each counted once, for ever."""

from collections.abc import Iterable, Mapping
from typing import Final

from reteval.contract.splits import HoldoutLooks
from service.store import keys
from service.store.connection import Connection
from service.store.scripts import Scripts

_TOGETHER: Final = 2_000


class Looks:
    """All looks of a deployment. They outlive runs and versions: what was seen stays seen."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def note(self, tenant: str, run_id: str, holdout: str) -> HoldoutLooks:
        """Note that a run looked at a hold-out, by its digest; again, it is the same look."""
        look = await self._scripts.run(
            "note_look",
            [keys.looks(tenant, holdout), keys.job(tenant, run_id)],
            [run_id, holdout],
        )
        return HoldoutLooks(look=int(look), total=int(look))

    async def restore(self, tenant: str, holdout: str, looks: Mapping[str, int]) -> None:
        """Add looks of a backup to those that are known."""
        words: list[str | bytes | int] = [
            word for run_id, turn in looks.items() for word in (turn, run_id)
        ]
        for start in range(0, len(words), _TOGETHER):
            some = words[start : start + _TOGETHER]
            await self._scripts.run("restore_looks", [keys.looks(tenant, holdout)], some)

    async def totals(self, tenant: str, holdouts: Iterable[str]) -> dict[str, int]:
        """Return how many looks there were at each hold-out."""
        return {
            holdout: await self._connection.zcard(keys.looks(tenant, holdout))
            for holdout in dict.fromkeys(holdouts)
        }
