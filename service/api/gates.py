"""The route of `/v1/gates`: hold a run to a gate."""

import math
from typing import Annotated, Final

from litestar import Response
from msgspec import Meta, Struct, structs

from reteval.contract import limits
from reteval.contract.api_keys import Scope
from reteval.contract.gates import (
    EXIT_CODE_HEADER,
    GateFormat,
    GatePending,
    GateRequest,
    GateVerdict,
    NewestRun,
)
from service import errors
from service.api.bodies import AnyRequest, check_media, read_body, read_query
from service.api.operations import JSON, MARKDOWN, TEXT, XML, YAML, Answer, Operation, creates
from service.api.responses import answer
from service.api.runs import Deployed
from service.core import comparisons
from service.core.gates.decide import decide
from service.core.gates.files import read_json, read_yaml
from service.core.gates.render import RENDERERS

YAML_MEDIA: Final = (YAML, "application/x-yaml", "text/yaml")
_MEDIA: Final = {
    GateFormat.JSON: JSON,
    GateFormat.TEXT: TEXT,
    GateFormat.JUNIT: XML,
    GateFormat.MARKDOWN: MARKDOWN,
}

_RunId = Annotated[str, Meta(max_length=64)]


class GateParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a gate file leaves open; each goes before the same field of the body."""

    run: Annotated[_RunId, Meta(description="Id of the run that is held to the gate.")] = ""
    comparison: Annotated[_RunId, Meta(description="Id of a comparison, in place of `run`.")] = ""
    baseline: Annotated[_RunId, Meta(description="Id of the run that drops are from.")] = ""
    baseline_label: Annotated[
        str,
        Meta(
            max_length=limits.MAX_NAME_BYTES,
            description="The baseline is the newest completed run with this label.",
        ),
    ] = ""
    baseline_branch: Annotated[
        str,
        Meta(
            max_length=limits.MAX_NAME_BYTES,
            description="And whose `meta.branch` is this; with a label, both have to fit.",
        ),
    ] = ""
    require_conclusive: Annotated[
        bool, Meta(description="Decide by intervals only, whatever the gate says.")
    ] = False
    format: GateFormat = GateFormat.JSON
    wait: Annotated[
        float,
        Meta(
            ge=0,
            le=limits.MAX_WAIT_S,
            description="Seconds to wait for runs and comparisons that have not ended.",
        ),
    ] = 0.0


@creates(
    "/gates/evaluate",
    Operation(
        id="evaluateGate",
        tag="gates",
        scope=Scope.RESULTS_READ,
        summary="Hold a run to a gate",
        about=(
            "The status is 200 whatever the verdict. A missing number, a failed run or too few "
            "queries never pass."
        ),
        answers={
            200: Answer(
                about="The verdict",
                media={JSON: GateVerdict, TEXT: None, XML: None, MARKDOWN: None},
                headers={
                    EXIT_CODE_HEADER: "0 pass, 1 fail, 3 run failed, 4 blocked, 5 inconclusive."
                },
            ),
            202: Answer(
                about="A run or comparison has not ended: ask again",
                media={JSON: GatePending},
                headers={"Retry-After": "Seconds until it is worth asking again."},
            ),
        },
        query=GateParameters,
        body={JSON: GateRequest, YAML: None},
        errors=(
            errors.MalformedJsonError,
            errors.MalformedTextError,
            errors.NotFoundError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.StorageFullError,
        ),
    ),
)
async def evaluate_gate(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Read the gate, decide, and answer in the form asked for."""
    media = check_media(request, (JSON, *YAML_MEDIA))
    sent = read_query(request, GateParameters)
    body = await read_body(request)
    gate = read_json(body) if media == JSON else read_yaml(body)
    found = await decide(backend, _fill(gate, sent), wait_s=sent.wait, comparisons=comparisons)
    if isinstance(found, GatePending):
        pace = {"Retry-After": str(math.ceil(found.poll_after_s))}
        return answer(found, status=202, headers=pace)
    return Response(
        RENDERERS[sent.format](found),
        media_type=_MEDIA[sent.format],
        headers={EXIT_CODE_HEADER: str(found.exit_code)},
    )


def _fill(gate: GateRequest, sent: GateParameters) -> GateRequest:
    """Put the query's words before the body's.

    Raises:
        InvalidError: two baselines in the query.
    """
    named = sent.baseline_label or sent.baseline_branch
    if sent.baseline and named:
        raise errors.InvalidError(
            "Give `baseline`, or its label and branch, not both: a baseline is one run."
        )
    changes: dict[str, object] = {}
    if sent.run or sent.comparison:
        changes = {"run": sent.run or None, "comparison": sent.comparison or None}
    if sent.baseline:
        changes["baseline"] = sent.baseline
    if named:
        newest = NewestRun(label=sent.baseline_label, branch=sent.baseline_branch)
        changes["baseline"] = newest
    if sent.require_conclusive:
        changes["require_conclusive"] = True
    return structs.replace(gate, **changes)


HANDLERS: Final = (evaluate_gate,)
