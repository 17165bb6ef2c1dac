"""Calls about parts and groups of test sets: splits, suites, and runs over suites."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, delete_at, get_from, post_to, segment, with_key
from reteval.contract.splits import SplitReport, SplitRequest
from reteval.contract.suites import (
    Suite,
    SuitePage,
    SuiteRequest,
    SuiteRun,
    SuiteRunPage,
    SuiteRunRequest,
)


def post_split(test_set: str, request: SplitRequest) -> Call[SplitReport]:
    """Divide a test set."""
    return post_to(f"/v1/test-sets/{segment(test_set)}/splits", SplitReport, request, keyed=True)


def post_suite(request: SuiteRequest | Mapping[str, Any]) -> Call[Suite]:
    """Join test sets."""
    return post_to("/v1/suites", Suite, request, keyed=True)


def get_suites(limit: int | None = None) -> Call[SuitePage]:
    """List suites, newest first."""
    return get_from("/v1/suites", SuitePage, limit=limit)


def get_suite(suite: str) -> Call[Suite]:
    """Read a suite."""
    return get_from(_path(suite), Suite)


def delete_suite(suite: str) -> Call[None]:
    """Delete a suite."""
    return delete_at(_path(suite))


def post_suite_run(
    suite: str, request: SuiteRunRequest | Mapping[str, Any], idempotency_key: str | None = None
) -> Call[SuiteRun]:
    """Start a run over each set of a suite, under the key given or one of its own."""
    call = post_to(f"{_path(suite)}/runs", SuiteRun, request, keyed=True)
    return call if idempotency_key is None else with_key(call, idempotency_key)


def get_suite_runs(suite: str, limit: int | None = None) -> Call[SuiteRunPage]:
    """List the runs over a suite, newest first."""
    return get_from(f"{_path(suite)}/runs", SuiteRunPage, limit=limit)


def get_suite_run(suite_run: str, wait: int | None = None) -> Call[SuiteRun]:
    """Read a suite's run; with `wait`, held so many seconds or to its end."""
    return get_from(f"/v1/suite-runs/{segment(suite_run)}", SuiteRun, wait=wait)


def cancel_suite_run(suite_run: str) -> Call[SuiteRun]:
    """Ask all runs of a suite's run to stop."""
    return post_to(f"/v1/suite-runs/{segment(suite_run)}/cancel", SuiteRun)


def _path(suite: str) -> str:
    return f"/v1/suites/{segment(suite)}"
