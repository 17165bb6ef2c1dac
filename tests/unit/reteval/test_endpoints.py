"""Saved endpoints, catalogues and what was begun before, through both clients."""

from collections.abc import Callable
from typing import Any

import pytest

from reteval import Endpoint, ErrorCode, Preview, RunStatus, SavedEndpoint, WaitTimeoutError
from reteval.contract.catalogues import (
    FormatCatalogue,
    KindCatalogue,
    MetricCatalogue,
    PresetCatalogue,
    WorkedExample,
)
from reteval.contract.judgings import JobKind, JudgingJob
from reteval.contract.saved_endpoints import SavedEndpointPage
from reteval.contract.teams import Team
from reteval.errors import ClientError
from tests.unit.reteval.documents import Script, answer, problem
from tests.unit.reteval.test_keeping import Calls, both
from tests.unit.reteval.test_leakage import a_check
from tests.unit.reteval.test_probes import a_probe

NOW = "2026-01-01T00:00:00Z"
SAVED = SavedEndpoint(
    id="ep_1",
    name="live",
    description="",
    endpoint=Endpoint(url="http://search.example/q"),
    version=3,
    created_at=NOW,
    updated_at=NOW,
)
ASKED = {"name": "live", "endpoint": {"url": "http://search.example/q"}}
PREVIEW = Preview(id="pv_1", status=RunStatus.COMPLETED, created_at=NOW)
EXAMPLE = WorkedExample(ranking=("a",), grades={"a": 1}, scale_max=3, relevant_from=1)
METRICS = MetricCatalogue(example=EXAMPLE, definitions={}, intervals={}, metrics=())
KINDS = KindCatalogue(suite="s", kinds=(), presets=(), out_of_corpus={})
JOB = JudgingJob(
    id="job_1", judging="jdg_1", kind=JobKind.TRY, status=RunStatus.COMPLETED, created_at=NOW
)
TEAM = Team(id="search", name="Search", created_at=NOW)

Work = Callable[[Any], Any]
READS: list[tuple[Work, str, str, object]] = [
    (lambda c: c.save_endpoint(ASKED), "POST", "/v1/endpoints", SAVED),
    (lambda c: c.endpoint("live"), "GET", "/v1/endpoints/live", SAVED),
    (lambda c: c.endpoint_presets(), "GET", "/v1/endpoints/presets", PresetCatalogue(presets=())),
    (lambda c: c.read_probe("prb_1", wait=5), "GET", "/v1/probes/prb_1", a_probe()),
    (lambda c: c.metrics(), "GET", "/v1/metrics", METRICS),
    (lambda c: c.formats(), "GET", "/v1/formats", FormatCatalogue(formats=())),
    (lambda c: c.kinds(), "GET", "/v1/adversarial/kinds", KINDS),
    (lambda c: c.preview_variants({"queries": ["x"]}), "POST", "/v1/adversarial/preview", PREVIEW),
    (lambda c: c.read_preview("pv_1"), "GET", "/v1/adversarial/previews/pv_1", PREVIEW),
    (lambda c: c.leakage_check("lc_1"), "GET", "/v1/leakage-checks/lc_1", a_check()),
    (lambda c: c.judging_job("jdg_1", "job_1"), "GET", "/v1/judgings/jdg_1/jobs/job_1", JOB),
    (lambda c: c.team("search"), "GET", "/v1/teams/search", TEAM),
]


@both
@pytest.mark.parametrize(("work", "method", "path", "found"), READS)
def test_documents(calls: Calls, work: Work, method: str, path: str, found: object) -> None:
    """Each method asks its route once and answers what it brings."""
    service = Script([answer(found)])
    assert calls(service, work) == found
    assert [(one.method, one.url.path) for one in service.requests] == [(method, path)]


@both
@pytest.mark.parametrize(
    ("known", "place", "condition"),
    [(SAVED, "/v1/endpoints/ep_1", '"ep_1-3"'), ("live", "/v1/endpoints/live", "*")],
)
def test_changes_hold_for_what_was_read(
    calls: Calls, known: Any, place: str, condition: str
) -> None:
    """A change of what somebody else changed meanwhile is refused; of a name it is made anyway."""
    service = Script([answer(SAVED), answer(SAVED), problem(412, "changed")])
    assert calls(service, lambda c: c.replace_endpoint(known, ASKED)) == SAVED
    assert calls(service, lambda c: c.rotate_secrets(known, {"authorization": "x"})) == SAVED
    with pytest.raises(ClientError) as caught:
        calls(service, lambda c: c.replace_endpoint(known, ASKED))
    assert (caught.value.status, caught.value.code) == (412, ErrorCode.CHANGED)
    paths = [each.url.path for each in service.requests]
    assert paths == [place, f"{place}/secrets", place]
    assert {each.headers["if-match"] for each in service.requests} == {condition}


@both
def test_saved_endpoints_are_listed_and_deleted(calls: Calls) -> None:
    """A page is read, and nothing comes back of what is gone."""
    service = Script([answer(SavedEndpointPage(items=(SAVED,))), answer(None, 204)])

    async def first(rows: Any) -> object:
        return await anext(rows)

    def newest(client: Any) -> object:
        rows = client.endpoints(limit=1)
        return first(rows) if hasattr(rows, "__anext__") else next(rows)

    assert calls(service, newest) == SAVED
    assert calls(service, lambda c: c.delete_endpoint("live")) is None
    assert [each.method for each in service.requests] == ["GET", "DELETE"]


@both
def test_preview_that_takes_too_long_is_named(calls: Calls) -> None:
    """Its id is in the error, to read it later."""
    pending = Preview(id="pv_1", status=RunStatus.QUEUED, created_at=NOW, poll_after_s=1.0)
    service = Script([answer(pending, 202), answer(pending)])
    with pytest.raises(WaitTimeoutError, match=r"preview 'pv_1' is queued.*read it later"):
        calls(service, lambda c: c.preview_variants({"queries": ["x"]}, timeout_s=0))
