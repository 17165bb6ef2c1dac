"""Teams in the store."""

import pytest

from reteval.contract.teams import Team
from service.errors import NameTakenError
from service.store.store import Store

TEAM = Team(id="search", name="Search", created_at="2026-11-30T00:00:00.000Z")


async def test_team_is_made_once(store: Store) -> None:
    """The same team sent again by a repeated script is no conflict, another of its id is."""
    await store.teams.create(TEAM)
    await store.teams.create(TEAM)
    with pytest.raises(NameTakenError):
        await store.teams.create(Team(id="search", name="Other", created_at=""))
    with pytest.raises(NameTakenError):
        await store.teams.create(Team(id="default", name="default", created_at=""))
    assert [team.id for team in await store.teams.all()] == ["default", "search"]
    assert [await store.teams.has(name) for name in ("default", "search", "x")] == [
        True,
        True,
        False,
    ]
