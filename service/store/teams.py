"""The teams of a deployment; `default` is one of them without having been made."""

import msgspec

from reteval.contract.teams import Team
from service.errors import NameTakenError
from service.store import keys
from service.store.bare_report import iso_time
from service.store.connection import Connection
from service.store.idempotency import script_words, under_way
from service.store.records import Idempotency
from service.store.scripts import Scripts, text


class Teams:
    """Who there is."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(self, team: Team, *, idempotency: Idempotency | None = None) -> Team:
        """Write a new team and return it, or what the key made before.

        Raises:
            NameTakenError: there is one with this id.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        verdict, stored = "taken", b""
        if team.id != keys.DEFAULT_TENANT:
            verdict, stored = await self._scripts.run(
                "create_team", [keys.TEAMS, entry], [team.id, msgspec.json.encode(team), token]
            )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "taken":
            raise NameTakenError(f"A team {team.id!r} exists already; choose another id.")
        return msgspec.json.decode(stored, type=Team)

    async def has(self, team_id: str) -> bool:
        """Tell whether there is such a team."""
        return (
            team_id == keys.DEFAULT_TENANT
            or await self._connection.hget(keys.TEAMS, team_id) is not None
        )

    async def all(self) -> list[Team]:
        """Return every team by id."""
        first = Team(id=keys.DEFAULT_TENANT, name="default", created_at=iso_time(0))
        stored = await self._connection.hvals(keys.TEAMS)
        teams = [first, *(msgspec.json.decode(value, type=Team) for value in stored)]
        return sorted(teams, key=lambda team: team.id)
