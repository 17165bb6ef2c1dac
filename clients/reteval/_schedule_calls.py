"""Requests about schedules and alerts, one function a route."""

import os
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from reteval._gates import document_body
from reteval._requests import JSON, Call, delete_at, get_from, post_to, segment
from reteval.contract.alerts import Alert, AlertPage, AlertRequest, EvaluationPage
from reteval.contract.entity_tags import tag_version
from reteval.contract.runs import Run
from reteval.contract.schedules import FirePage, FireTimes, Schedule, SchedulePage, ScheduleRequest

T = TypeVar("T")
AskedSchedule = ScheduleRequest | Mapping[str, Any]
AskedAlert = AlertRequest | Mapping[str, Any] | str | os.PathLike[str]
"""The alert, or the path of a YAML or JSON file of it."""


def post_schedule(request: AskedSchedule) -> Call[Schedule]:
    """Make a schedule."""
    return post_to("/v1/schedules", Schedule, request, keyed=True)


def get_schedules(limit: int | None = None) -> Call[SchedulePage]:
    """List schedules, newest first."""
    return get_from("/v1/schedules", SchedulePage, limit=limit)


def get_times(cron: str, zone: str, count: int | None = None) -> Call[FireTimes]:
    """Ask when an expression is due."""
    return get_from("/v1/schedules/times", FireTimes, cron=cron, zone=zone, count=count)


def get_schedule(schedule_id: str) -> Call[Schedule]:
    """Read a schedule."""
    return get_from(_schedule(schedule_id), Schedule)


def put_schedule(
    schedule_id: str, request: AskedSchedule, version: int | None = None
) -> Call[Schedule]:
    """Change a schedule that has a version, or whatever version it has."""
    body = JSON, msgspec.json.encode(request)
    return _put(_schedule(schedule_id), Schedule, body, _tag(schedule_id, version))


def delete_schedule(schedule_id: str) -> Call[None]:
    """Delete a schedule."""
    return delete_at(_schedule(schedule_id))


def post_pause(schedule_id: str) -> Call[Schedule]:
    """Pause a schedule."""
    path = _schedule(schedule_id, "/pause")
    return Call(method="POST", path=path, expect=Schedule, repeatable=True)


def delete_pause(schedule_id: str) -> Call[None]:
    """End the pause of a schedule."""
    return delete_at(_schedule(schedule_id, "/pause"))


def post_start(schedule_id: str) -> Call[Run]:
    """Start the run of a schedule now."""
    return Call(method="POST", path=_schedule(schedule_id, "/run"), expect=Run, keyed=True)


def get_fires(schedule_id: str, limit: int | None = None) -> Call[FirePage]:
    """List what became of a schedule's times, newest first."""
    return get_from(_schedule(schedule_id, "/fires"), FirePage, limit=limit)


def post_alert(request: AskedAlert) -> Call[Alert]:
    """Make an alert."""
    media, content = document_body(request)
    return Call(
        method="POST",
        path="/v1/alerts",
        expect=Alert,
        headers={"content-type": media},
        content=content,
        keyed=True,
    )


def get_alerts(limit: int | None = None) -> Call[AlertPage]:
    """List alerts, newest first."""
    return get_from("/v1/alerts", AlertPage, limit=limit)


def get_alert(alert_id: str) -> Call[Alert]:
    """Read an alert and its state."""
    return get_from(_alert(alert_id), Alert)


def put_alert(alert_id: str, request: AskedAlert, version: int | None = None) -> Call[Alert]:
    """Change an alert that has a version, or whatever version it has."""
    return _put(_alert(alert_id), Alert, document_body(request), _tag(alert_id, version))


def delete_alert(alert_id: str) -> Call[None]:
    """Delete an alert."""
    return delete_at(_alert(alert_id))


def get_evaluations(alert_id: str, limit: int | None = None) -> Call[EvaluationPage]:
    """List what an alert found, newest first."""
    return get_from(_alert(alert_id, "/evaluations"), EvaluationPage, limit=limit)


def _schedule(schedule_id: str, rest: str = "") -> str:
    return f"/v1/schedules/{segment(schedule_id)}{rest}"


def _alert(alert_id: str, rest: str = "") -> str:
    return f"/v1/alerts/{segment(alert_id)}{rest}"


def _tag(record_id: str, version: int | None) -> str:
    return "*" if version is None else tag_version(record_id, version)


def _put(path: str, expect: type[T], body: tuple[str, bytes], tag: str) -> Call[T]:
    return Call(
        method="PUT",
        path=path,
        expect=expect,
        headers={"content-type": body[0], "if-match": tag},
        content=body[1],
        repeatable=tag == "*",
    )
