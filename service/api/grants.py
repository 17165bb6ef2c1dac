"""Routes of sharing: grants to teams, links to one run, and the newest run that may be read."""

from typing import Final

from litestar import Response
from litestar.params import FromPath
from msgspec import structs

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.grants import Grant, GrantList, GrantRequest, LinkList, LinkRequest, NewLink
from reteval.contract.runs import Run
from service import errors
from service.api.bodies import AnyRequest, NoParameters, check_media, read_body, read_query
from service.api.idempotency import (
    ANSWER_HEADERS,
    REQUEST_HEADERS,
    SECRET_ERRORS,
    create_once,
)
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, deletes, reads
from service.api.parameters import GrantListParameters, LatestParameters
from service.api.responses import answer, answer_nothing
from service.api.runs import Deployed
from service.core import grants, links
from service.core.decoding import decode
from service.core.idempotency import Idempotency
from service.core.latest import Wanted, find_latest

_TAG: Final = "sharing"
_BODY_ERRORS: Final = (
    errors.MalformedJsonError,
    errors.NotFoundError,
    errors.TooLargeError,
    errors.UnsupportedMediaTypeError,
    errors.InvalidError,
    errors.StorageFullError,
)
_GONE: Final = (errors.NotFoundError, errors.InvalidError)


@creates(
    "/grants",
    Operation(
        id="createGrant",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        summary="Let another team read",
        about=(
            "A run, a test set (which needs `testsets:write`, too), or all runs with a label, "
            "later ones included; to one team or, with `*`, to all of this deployment. Said "
            "again, it answers the same grant."
        ),
        answers={
            201: Answer(
                about="Granted",
                media={JSON: Grant},
                headers={"Location": "The grant's address, to take it back.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: GrantRequest},
        errors=(*_BODY_ERRORS, *KEY_ERRORS),
    ),
)
async def create_grant(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Grant something."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), GrantRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await grants.create_grant(backend, asked, idempotency=held)
        return answer(made, status=201, headers={"Location": f"/v1/grants/{made.id}"})

    return await create_once(request, backend, make)


@reads(
    "/grants",
    Operation(
        id="listGrants",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List grants, oldest first",
        answers={200: Answer(about="Those this team gave, or got", media={JSON: GrantList})},
        query=GrantListParameters,
        errors=(errors.InvalidError,),
    ),
)
async def list_grants(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the grants of a team."""
    sent = read_query(request, GrantListParameters)
    return answer(await grants.list_grants(backend, received=sent.received))


@deletes(
    "/grants/{grant_id:str}",
    Operation(
        id="deleteGrant",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        summary="Take a grant back",
        answers={204: Answer(about="It lets nobody read any more")},
        errors=_GONE,
    ),
)
async def delete_grant(
    request: AnyRequest, backend: Deployed, grant_id: FromPath[str]
) -> Response[bytes]:
    """Take a grant back."""
    read_query(request, NoParameters)
    await grants.delete_grant(backend, grant_id)
    return answer_nothing()


@creates(
    "/runs/{run_id:str}/links",
    Operation(
        id="createLink",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.LINK_CREATED,
        summary="Make a link to a run",
        about=(
            "Whoever has its token may read this run, and nothing else, until it expires: as "
            "`?share=` or in the header `Reteval-Share`. The token is shown once."
        ),
        answers={
            201: Answer(
                about="Made; the token is in this answer only",
                media={JSON: NewLink},
                headers={"Location": "The link's address, to close it.", **ANSWER_HEADERS},
            )
        },
        headers=REQUEST_HEADERS,
        body={JSON: LinkRequest},
        errors=(*_BODY_ERRORS, *SECRET_ERRORS),
    ),
)
async def create_link(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Make a link."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), LinkRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        made = await links.create_link(backend, run_id, asked, idempotency=held)
        headers = {"Location": f"/v1/runs/{made.run}/links/{made.id}"}
        return answer(made, status=201, headers=headers)

    return await create_once(request, backend, make, secret=True)


@reads(
    "/runs/{run_id:str}/links",
    Operation(
        id="listLinks",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="List the links to a run",
        answers={200: Answer(about="Those that still open it", media={JSON: LinkList})},
        errors=_GONE,
    ),
)
async def list_links(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Answer the links to a run."""
    read_query(request, NoParameters)
    return answer(await links.list_links(backend, run_id))


@deletes(
    "/runs/{run_id:str}/links/{link_id:str}",
    Operation(
        id="deleteLink",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.LINK_DELETED,
        summary="Close a link to a run",
        answers={204: Answer(about="It opens nothing any more")},
        errors=_GONE,
    ),
)
async def delete_link(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str], link_id: FromPath[str]
) -> Response[bytes]:
    """Close a link."""
    read_query(request, NoParameters)
    await links.delete_link(backend, run_id, link_id)
    return answer_nothing()


@reads(
    "/latest",
    Operation(
        id="getLatest",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Find the newest completed run",
        about=(
            "Of a test set, a label or both, so that a service which shows a score needs no run "
            "id; `links.results` is its report. The team's own runs go first; where it has none, "
            "those that it was granted. Name the `team` whose run you expect: every team that "
            "may grant you a label could answer."
        ),
        answers={200: Answer(about="The run", media={JSON: Run})},
        query=LatestParameters,
        errors=_GONE,
    ),
)
async def get_latest(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the newest run that fits."""
    sent = read_query(request, LatestParameters)
    return answer(await find_latest(backend, Wanted(**structs.asdict(sent))))


HANDLERS: Final = (
    create_grant,
    list_grants,
    delete_grant,
    create_link,
    list_links,
    delete_link,
    get_latest,
)
