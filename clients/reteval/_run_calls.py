"""Requests about runs and what they found, one function a route."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, delete_at, get_from, post_to, segment, with_key
from reteval.contract.outcomes import OutcomePage, QueryRowPage, VariantPage
from reteval.contract.results import Results
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunPage, RunRequest


def post_run(request: RunRequest | Mapping[str, Any], idempotency_key: str | None) -> Call[Run]:
    """Start a run, under the key given or one of its own."""
    call = post_to("/v1/runs", Run, request, keyed=True)
    if idempotency_key is None:
        return call
    return with_key(call, idempotency_key)


def get_runs(
    *,
    test_set: str | None = None,
    label: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> Call[RunPage]:
    """List runs, newest first."""
    return get_from("/v1/runs", RunPage, test_set=test_set, label=label, status=status, limit=limit)


def get_run(run_id: str, wait: int | None = None) -> Call[Run]:
    """Read a run; with `wait`, the service holds the answer so many seconds or to the end."""
    return get_from(_run_path(run_id), Run, wait=wait)


def cancel_run(run_id: str) -> Call[Run]:
    """Ask a run to stop."""
    return post_to(_run_path(run_id, "/cancel"), Run)


def delete_run(run_id: str) -> Call[None]:
    """Delete a run that has ended."""
    return delete_at(_run_path(run_id))


def get_results(run_id: str) -> Call[Results]:
    """Read the report of a run."""
    return get_from(_run_path(run_id, "/results"), Results)


def get_results_document(run_id: str) -> Call[bytes]:
    """Read the report of a run as the bytes sent."""
    return get_from(_run_path(run_id, "/results"), bytes)


def get_query_rows(
    run_id: str,
    *,
    sort: str | None = None,
    slice_name: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> Call[QueryRowPage]:
    """List the clean queries of a report."""
    path = _run_path(run_id, "/queries")
    return get_from(path, QueryRowPage, sort=sort, slice=slice_name, status=status, limit=limit)


def get_outcomes(run_id: str, limit: int | None = None) -> Call[OutcomePage]:
    """List what each request brought."""
    return get_from(_run_path(run_id, "/outcomes"), OutcomePage, limit=limit)


def get_variants(
    run_id: str, kind: str | None = None, limit: int | None = None
) -> Call[VariantPage]:
    """List the changed queries of a run."""
    return get_from(_run_path(run_id, "/variants"), VariantPage, kind=kind, limit=limit)


def get_export(run_id: str, export_format: str) -> Call[bytes]:
    """Read a run in a file format."""
    return get_from(_run_path(run_id, "/export"), bytes, accept="*/*", format=export_format)


def rescore_run(run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Call[Run]:
    """Make a child run over stored rankings."""
    return post_to(_run_path(run_id, "/rescore"), Run, request, keyed=True)


def retry_run(run_id: str, request: RetryRequest | Mapping[str, Any] | None) -> Call[Run]:
    """Make a child run that sends what has no answer."""
    return post_to(_run_path(run_id, "/retry"), Run, request or {}, keyed=True)


def _run_path(run_id: str, rest: str = "") -> str:
    return f"/v1/runs/{segment(run_id)}{rest}"
