"""Routes about what callers may use."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.quotas import Allowance, TeamLimits
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.limiting import find_standing
from service.api.operations import JSON, Access, Answer, Operation, reads, replaces
from service.api.responses import answer
from service.api.runs import Deployed
from service.core import limits
from service.core.decoding import decode

_TAG: Final = "limits"


@reads(
    "/limits",
    Operation(
        id="getLimits",
        tag=_TAG,
        scope=Access.ANY_KEY,
        summary="Tell what the caller may use, and what is left of it",
        about=(
            "The rate of the key, the quotas of its team, and the bounds of every request. "
            "Where no keys are asked for there is no rate, and only runs that wait are bounded."
        ),
        answers={200: Answer(about="The limits", media={JSON: Allowance})},
        errors=(errors.InvalidError,),
    ),
)
async def read_limits(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer what the caller may use."""
    read_query(request, NoParameters)
    return answer(await limits.get_allowance(backend, find_standing(request.scope)))


@reads(
    "/teams/{team_id:str}/limits",
    Operation(
        id="getTeamLimits",
        tag=_TAG,
        scope=Scope.ADMIN,
        summary="Read the limits that a team has of its own",
        answers={200: Answer(about="Its own limits only", media={JSON: TeamLimits})},
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def read_team_limits(
    request: AnyRequest, backend: Deployed, team_id: FromPath[str]
) -> Response[bytes]:
    """Answer a team's own limits."""
    read_query(request, NoParameters)
    return answer(await limits.get_team_limits(backend, team_id))


@replaces(
    "/teams/{team_id:str}/limits",
    Operation(
        id="replaceTeamLimits",
        tag=_TAG,
        scope=Scope.ADMIN,
        event=AuditEvent.TEAM_LIMITS_CHANGED,
        summary="Give a team limits of its own",
        about=(
            "They go before the deployment's at once; what is left out is the deployment's again. "
            "Runs that were accepted keep the number of runs at once that they were accepted with."
        ),
        answers={200: Answer(about="Its own limits", media={JSON: TeamLimits})},
        body={JSON: TeamLimits},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.StorageFullError,
        ),
    ),
)
async def replace_team_limits(
    request: AnyRequest, backend: Deployed, team_id: FromPath[str]
) -> Response[bytes]:
    """Replace a team's own limits."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    own = decode(await read_body(request), TeamLimits)
    return answer(await limits.put_team_limits(backend, team_id, own))


HANDLERS: Final = (read_limits, read_team_limits, replace_team_limits)
