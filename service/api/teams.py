"""Routes for the deployment's admins: its teams, and its audit log."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent, AuditPage
from reteval.contract.teams import Team, TeamList, TeamRequest
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import AuditParameters
from service.api.responses import answer
from service.api.runs import Deployed
from service.core import audit, teams
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "teams"


@creates(
    "/teams",
    Operation(
        id="createTeam",
        tag=_TAG,
        scope=Scope.ADMIN,
        event=AuditEvent.TEAM_CREATED,
        summary="Make a team",
        about="Each team sees its own test sets and runs, and what was granted to it.",
        answers={
            201: Answer(
                about="Made",
                media={JSON: Team},
                headers={"Location": "The team's address.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: TeamRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NameTakenError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_team(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Make a team."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), TeamRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await teams.create_team(backend, asked, idempotency=held)
        return answer(made, status=201, headers={"Location": f"/v1/teams/{made.id}"})

    return await create_once(request, backend, make)


@reads(
    "/teams",
    Operation(
        id="listTeams",
        tag=_TAG,
        scope=Scope.ADMIN,
        summary="List the teams",
        answers={200: Answer(about="All teams by id", media={JSON: TeamList})},
        errors=(errors.InvalidError,),
    ),
)
async def list_teams(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer all teams."""
    read_query(request, NoParameters)
    return answer(await teams.list_teams(backend))


@reads(
    "/teams/{team_id:str}",
    Operation(
        id="getTeam",
        tag=_TAG,
        scope=Scope.ADMIN,
        summary="Read a team",
        answers={200: Answer(about="The team", media={JSON: Team})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_team(
    request: AnyRequest, backend: Deployed, team_id: FromPath[str]
) -> Response[bytes]:
    """Answer a team."""
    read_query(request, NoParameters)
    return answer(await teams.get_team(backend, team_id))


@reads(
    "/audit",
    Operation(
        id="listAudit",
        tag=_TAG,
        scope=Scope.ADMIN,
        summary="Read the audit log, newest first",
        about=(
            "`changes`: keys, grants, test sets, runs and endpoints made and deleted. `access`: "
            "every use of a grant or link, and everyone who was refused. Each keeps about its "
            "newest 100,000 events."
        ),
        answers={200: Answer(about="A page", media={JSON: AuditPage})},
        query=AuditParameters,
        errors=(errors.BadCursorError, errors.InvalidError),
    ),
)
async def list_audit(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer a page of events."""
    sent = read_query(request, AuditParameters)
    return answer(await audit.page_audit(backend, sent.log, cursor=sent.cursor, limit=sent.limit))


HANDLERS: Final = (create_team, list_teams, get_team, list_audit)
