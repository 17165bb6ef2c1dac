"""Routes of `/v1/probes`: send a few queries to an endpoint and look at what comes back."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.probes import Probe, ProbeRequest
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.conditional import IF_NONE_MATCH, known_answers
from service.api.idempotency import ANSWER_HEADERS, REQUEST_HEADERS, create_once
from service.api.idempotency import ERRORS as KEY_ERRORS
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, accept_job, answer_job
from service.api.runs import Deployed
from service.core import probes
from service.core.decoding import decode
from service.core.idempotency import Idempotency

_TAG: Final = "probes"


@creates(
    "/probes",
    Operation(
        id="createProbe",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        summary="Probe an endpoint",
        about=(
            "Sends up to five queries and shows the request as sent, the first raw hits, the ids "
            "read from them, how they meet the judged ids, and what would make them meet. With "
            "`wait`, the answer comes with the report. Kept for a day."
        ),
        answers={
            200: Answer(
                about="It has ended",
                media={JSON: Probe},
                headers={"Location": "The probe's address.", **ANSWER_HEADERS},
            ),
            202: Answer(
                about="Accepted",
                media={JSON: Probe},
                headers={
                    "Location": "The probe's address.",
                    **ANSWER_HEADERS,
                    **POLL_HEADERS,
                },
            ),
        },
        headers=REQUEST_HEADERS,
        query=WaitParameters,
        body={JSON: ProbeRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.EndpointNotAllowedError,
            errors.SecretsUnavailableError,
            *KEY_ERRORS,
            errors.StorageFullError,
        ),
    ),
)
async def create_probe(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Check the endpoint, have it probed, and wait for it as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), ProbeRequest)

    async def make(held: Idempotency | None) -> Response[bytes]:
        found = await probes.open_probe(backend, asked, wait_s=sent.wait, idempotency=held)
        return accept_job(found)

    return await create_once(request, backend, make)


@reads(
    "/probes/{probe_id:str}",
    Operation(
        id="getProbe",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read a probe",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers=known_answers("Its state; tagged once it has ended", Probe, POLL_HEADERS),
        headers=IF_NONE_MATCH,
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_probe(
    request: AnyRequest, backend: Deployed, probe_id: FromPath[str]
) -> Response[bytes]:
    """Answer a probe's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(request, await probes.get_probe(backend, probe_id, wait_s=sent.wait))


HANDLERS: Final = (create_probe, get_probe)
