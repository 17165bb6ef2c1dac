"""Routes of `/v1/probes`: send a few queries to an endpoint and look at what comes back."""

from typing import Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.probes import Probe, ProbeRequest
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.operations import JSON, Answer, Operation, creates, reads
from service.api.parameters import WaitParameters
from service.api.responses import POLL_HEADERS, answer_job
from service.api.runs import Deployed
from service.core import probes
from service.core.decoding import decode

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
            200: Answer(about="It has ended", media={JSON: Probe}),
            202: Answer(
                about="Accepted",
                media={JSON: Probe},
                headers={"Location": "The probe's address.", **POLL_HEADERS},
            ),
        },
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
            errors.StorageFullError,
        ),
    ),
)
async def create_probe(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Check the endpoint, have it probed, and wait for it as long as asked."""
    check_media(request, (JSON,))
    sent = read_query(request, WaitParameters)
    asked = decode(await read_body(request), ProbeRequest)
    return answer_job(await probes.open_probe(backend, asked, wait_s=sent.wait), created=True)


@reads(
    "/probes/{probe_id:str}",
    Operation(
        id="getProbe",
        tag=_TAG,
        scope=Scope.RUNS_READ,
        summary="Read a probe",
        about="With `wait`, the answer comes when it has ended or the time is over.",
        answers={200: Answer(about="Its state", media={JSON: Probe}, headers=POLL_HEADERS)},
        query=WaitParameters,
        errors=(errors.NotFoundError, errors.InvalidError),
    ),
)
async def get_probe(
    request: AnyRequest, backend: Deployed, probe_id: FromPath[str]
) -> Response[bytes]:
    """Answer a probe's state, and its report once it has ended."""
    sent = read_query(request, WaitParameters)
    return answer_job(await probes.get_probe(backend, probe_id, wait_s=sent.wait))


HANDLERS: Final = (create_probe, get_probe)
