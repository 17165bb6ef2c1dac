"""What both clients offer about schedules and alerts: a route each, files as they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from reteval.contract.alerts import AlertPage, EvaluationPage
from reteval.contract.runs import Run
from reteval.contract.schedules import FirePage, SchedulePage
from reteval.errors import NotFoundError
from tests.unit.reteval.documents import Script, a_run, answer, problem
from tests.unit.reteval.scheduled import ALERT, EVALUATION, FIRE, SCHEDULE, TIMES
from tests.unit.reteval.test_webhooks import Work, both

RUN: Run = a_run()
BODY = {"name": "nightly"}


@both
@pytest.mark.parametrize(
    ("work", "document", "request_line"),
    [
        (lambda c: c.create_schedule(BODY), SCHEDULE, "POST /v1/schedules"),
        (lambda c: c.schedule("sch_1"), SCHEDULE, "GET /v1/schedules/sch_1"),
        (lambda c: c.replace_schedule("sch_1", BODY), SCHEDULE, "PUT /v1/schedules/sch_1"),
        (lambda c: c.pause_schedule("sch_1"), SCHEDULE, "POST /v1/schedules/sch_1/pause"),
        (lambda c: c.start_schedule("sch_1"), RUN, "POST /v1/schedules/sch_1/run"),
        (
            lambda c: c.fire_times("0 3 * * *", "Europe/Lisbon", count=1),
            TIMES,
            "GET /v1/schedules/times",
        ),
        (lambda c: c.create_alert(BODY), ALERT, "POST /v1/alerts"),
        (lambda c: c.alert("al_1"), ALERT, "GET /v1/alerts/al_1"),
        (lambda c: c.replace_alert("al_1", BODY), ALERT, "PUT /v1/alerts/al_1"),
    ],
)
def test_each_method_is_one_call(
    calls: Callable[..., Any], work: Work, document: Any, request_line: str
) -> None:
    """The route is called and its answer read."""
    service = Script([answer(document)])
    assert calls(service, work) == document
    assert [f"{sent.method} {sent.url.path}" for sent in service.requests] == [request_line]


@both
@pytest.mark.parametrize(
    ("work", "page", "item", "path"),
    [
        (lambda c: c.schedules(limit=1), SchedulePage, SCHEDULE, "/v1/schedules"),
        (lambda c: c.fires("sch_1", limit=1), FirePage, FIRE, "/v1/schedules/sch_1/fires"),
        (lambda c: c.alerts(limit=1), AlertPage, ALERT, "/v1/alerts"),
        (
            lambda c: c.evaluations("al_1", limit=1),
            EvaluationPage,
            EVALUATION,
            "/v1/alerts/al_1/evaluations",
        ),
    ],
)
def test_lists_are_walked_to_their_end(
    calls: Callable[..., Any], work: Work, page: Any, item: Any, path: str
) -> None:
    """Pages follow each other; `limit` is the size of one."""
    service = Script([answer(page(items=(item,), next_cursor="c")), answer(page(items=(item,)))])
    assert list(calls(service, work)) == [item, item]
    assert {sent.url.path for sent in service.requests} == {path}
    assert dict(service.requests[1].url.params) == {"limit": "1", "cursor": "c"}


@both
@pytest.mark.parametrize(
    ("work", "request_line"),
    [
        (lambda c: c.delete_schedule("sch_1"), "DELETE /v1/schedules/sch_1"),
        (lambda c: c.resume_schedule("sch_1"), "DELETE /v1/schedules/sch_1/pause"),
        (lambda c: c.delete_alert("al_1"), "DELETE /v1/alerts/al_1"),
    ],
)
def test_what_answers_nothing(calls: Callable[..., Any], work: Work, request_line: str) -> None:
    """An empty answer is what is expected."""
    service = Script([httpx.Response(204)])
    assert calls(service, work) is None
    assert [f"{sent.method} {sent.url.path}" for sent in service.requests] == [request_line]


@both
@pytest.mark.parametrize(
    "work",
    [
        lambda c: c.create_schedule(BODY),
        lambda c: c.start_schedule("sch_1"),
        lambda c: c.create_alert(BODY),
    ],
)
def test_what_must_not_happen_twice_has_one_key(calls: Callable[..., Any], work: Work) -> None:
    """A lost answer could hide a schedule, a run or an alert that was made."""
    service = Script([httpx.ReadError("reset"), problem(404, "not_found")])
    with pytest.raises(NotFoundError):
        calls(service, work)
    first, second = [request.headers["idempotency-key"] for request in service.requests]
    assert first == second


@both
@pytest.mark.parametrize(
    ("work", "tag"),
    [
        (lambda c: c.replace_schedule("sch_1", BODY, version=3), '"sch_1-3"'),
        (lambda c: c.replace_alert("al_1", BODY, version=4), '"al_1-4"'),
        (lambda c: c.replace_schedule("sch_1", BODY), "*"),
    ],
)
def test_change_names_what_was_read(calls: Callable[..., Any], work: Work, tag: str) -> None:
    """A version is sent as its tag; without one, whatever there is may be changed."""
    service = Script([answer(ALERT if "al" in tag else SCHEDULE)])
    calls(service, work)
    assert service.requests[0].headers["if-match"] == tag


@both
def test_alert_of_a_file_goes_as_it_is(calls: Callable[..., Any], tmp_path: Path) -> None:
    """The service reads YAML and JSON; the client reads neither."""
    for name, media in (("a.yaml", "application/yaml"), ("a.json", "application/json")):
        path = tmp_path / name
        path.write_text(json.dumps(BODY))
        service = Script([answer(ALERT)])
        calls(service, lambda client, path=path: client.create_alert(path))
        assert service.requests[0].headers["content-type"] == media
        assert service.requests[0].content == path.read_bytes()
