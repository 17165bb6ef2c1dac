"""Writing responses: structs as JSON, streams as they are made."""

import math
from collections.abc import AsyncIterator, Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec
from litestar import Response
from litestar.response import Stream

from reteval.contract.alerts import Alert, AlertPage, EvaluationPage
from reteval.contract.comparisons import Comparison
from reteval.contract.entity_tags import tag_version
from reteval.contract.judgings import Judging, JudgingJob, JudgingPage
from reteval.contract.leakage import LeakageCheck, LeakedPairPage
from reteval.contract.outcomes import OutcomePage, QueryRowPage, VariantPage
from reteval.contract.previews import Preview
from reteval.contract.probes import Probe
from reteval.contract.runs import Run, RunPage
from reteval.contract.saved_endpoints import SavedEndpointPage
from reteval.contract.schedules import FirePage, Schedule, SchedulePage
from reteval.contract.suites import SuiteRun
from reteval.contract.testsets import QueryPage, TestSetPage
from reteval.contract.unjudged import UnjudgedPage
from reteval.contract.versions import DiffPage, VersionPage
from reteval.contract.votes import JudgedPairPage, ReviewPage
from service.api.bodies import AnyRequest
from service.api.conditional import answer_known
from service.api.operations import JSON

LINK_HEADERS: Final = {"Link": '`rel="next"` leads to the next page; absent on the last.'}
VERSIONED: Final = {"ETag": "For `If-Match`; another one after each change by a caller."}
POLL_HEADERS: Final = {"Retry-After": "Seconds until it is worth asking again; while it runs."}


GrowingPage = (
    AlertPage
    | EvaluationPage
    | FirePage
    | JudgedPairPage
    | JudgingPage
    | ReviewPage
    | RunPage
    | SavedEndpointPage
    | SchedulePage
    | TestSetPage
    | UnjudgedPage
    | VersionPage
)
FixedPage = DiffPage | LeakedPairPage | OutcomePage | QueryPage | QueryRowPage | VariantPage
ShortJob = Comparison | JudgingJob | LeakageCheck | Preview | Probe


def answer(
    value: msgspec.Struct, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer with a struct as JSON. NaN cannot leave: msgspec writes it as null."""
    return Response(
        msgspec.json.encode(value), status_code=status, media_type=JSON, headers=headers
    )


def answer_version(
    made: Alert | Schedule, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer a record under the tag of its version; what moves by itself is not in that."""
    tag = {"ETag": tag_version(made.id, made.version)}
    return answer(made, status=status, headers={**tag, **(headers or {})})


def accept_job(job: ShortJob) -> Response[bytes]:
    """Answer a job just asked for: 200 where it has ended already, else 202."""
    headers = {"Location": job.links["self"], **pace(job)}
    return answer(job, status=200 if job.status.terminal else 202, headers=headers)


def answer_job(request: AnyRequest, job: ShortJob | Run) -> Response[bytes]:
    """Answer a job's state: to be kept once it has ended, until then with the pause."""
    if job.status.terminal:
        return answer_known(request, job)
    return answer(job, headers=pace(job))


def accept_run(run: Run) -> Response[bytes]:
    """Answer a run that was just made."""
    headers = {"Location": f"/v1/runs/{run.id}", **pace(run)}
    return answer(run, status=202, headers=headers)


def pace(job: ShortJob | Judging | Run | SuiteRun) -> dict[str, str]:
    """Return the header that says when it is worth asking again."""
    return {} if job.poll_after_s is None else {"Retry-After": str(math.ceil(job.poll_after_s))}


def answer_page(request: AnyRequest, page: GrowingPage) -> Response[bytes]:
    """Answer a page of a list that grows."""
    return answer(page, headers=_link_next(request, page.next_cursor))


def answer_fixed_page(request: AnyRequest, page: FixedPage) -> Response[bytes]:
    """Answer a page of a list that never changes, to be kept."""
    return answer_known(request, page, headers=_link_next(request, page.next_cursor))


def _link_next(request: AnyRequest, cursor: str | None) -> dict[str, str]:
    if cursor is None:
        return {}
    others = [pair for pair in request.query_params.multi_items() if pair[0] != "cursor"]
    query = urlencode([*others, ("cursor", cursor)])
    path = request.scope["raw_path"].decode("ascii", "replace")
    return {"Link": f'<{path}?{query}>; rel="next"'}


def answer_nothing() -> Response[bytes]:
    """Answer that it is done and there is nothing to say."""
    return Response(b"", status_code=204)


def answer_stream(
    chunks: AsyncIterator[bytes],
    *,
    media: str,
    filename: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Stream:
    """Answer with chunks as they are made; with `filename`, as a download."""
    sent = dict(headers or {})
    if filename is not None:
        sent["Content-Disposition"] = f'attachment; filename="{filename}"'
    return Stream(chunks, media_type=media, headers=sent)
