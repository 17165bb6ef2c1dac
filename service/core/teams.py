"""Teams: make one, list them all."""

from reteval.contract import limits
from reteval.contract.teams import Team, TeamList, TeamRequest
from service.core.backend import Backend, to_iso
from service.core.idempotency import Idempotency
from service.core.texts import check_text
from service.errors import InvalidError, NotFoundError


async def create_team(
    backend: Backend, request: TeamRequest, *, idempotency: Idempotency | None = None
) -> Team:
    """Make a team; its id is for ever.

    Raises:
        InvalidError: the name breaks a rule.
        NameTakenError: there is one with this id.
        IdempotencyConflictError: another process took the key over.
    """
    items = check_text(request.name, pointer="/name", max_bytes=limits.MAX_NAME_BYTES)
    if items:
        raise InvalidError("The team breaks a rule.", errors=items)
    team = Team(id=request.id, name=request.name, created_at=to_iso(backend.now()))
    return await backend.store.teams.create(team, idempotency=idempotency)


async def get_team(backend: Backend, team_id: str) -> Team:
    """Return a team.

    Raises:
        NotFoundError: there is none of this id.
    """
    for team in await backend.store.teams.all():
        if team.id == team_id:
            return team
    raise NotFoundError(f"There is no team {team_id!r}; list them with GET /v1/teams.")


async def list_teams(backend: Backend) -> TeamList:
    """Return all teams by id."""
    return TeamList(items=tuple(await backend.store.teams.all()))
