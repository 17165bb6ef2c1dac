"""Requests about test sets, one function a route."""

from typing import Any

from reteval._requests import JSON_LINES, Call, delete_at, get_from, segment
from reteval.contract.history import Trend
from reteval.contract.testsets import QueryPage, TestSet, TestSetPage
from reteval.contract.unjudged import UnjudgedPage


def get_test_sets(limit: int | None = None, name: str | None = None) -> Call[TestSetPage]:
    """List test sets, newest first."""
    return get_from("/v1/test-sets", TestSetPage, name=name, limit=limit)


def get_test_set(id_or_name: str) -> Call[TestSet]:
    """Read one test set."""
    return get_from(f"/v1/test-sets/{segment(id_or_name)}", TestSet)


def get_queries(id_or_name: str, limit: int | None = None) -> Call[QueryPage]:
    """List the queries of a test set."""
    return get_from(f"/v1/test-sets/{segment(id_or_name)}/queries", QueryPage, limit=limit)


def delete_test_set(test_set_id: str) -> Call[None]:
    """Delete a test set that no run refers to."""
    return delete_at(f"/v1/test-sets/{segment(test_set_id)}")


def get_history(test_set: str) -> Call[list[dict[str, Any]]]:
    """Read the trend of a test set, a flat dict a run."""
    rows = list[dict[str, Any]]
    return get_from("/v1/history.jsonl", rows, accept=JSON_LINES, test_set=test_set)


def get_trend(
    test_set: str,
    *,
    metric: str | None = None,
    label: str | None = None,
    limit: int | None = None,
) -> Call[Trend]:
    """Read the trend of a metric."""
    return get_from(
        "/v1/history", Trend, test_set=test_set, metric=metric, label=label, limit=limit
    )


def get_unjudged(test_set: str, limit: int | None = None) -> Call[UnjudgedPage]:
    """List the documents to label next."""
    return get_from(f"/v1/test-sets/{segment(test_set)}/unjudged", UnjudgedPage, limit=limit)


def get_unjudged_export(test_set: str) -> Call[bytes]:
    """Read the whole list of documents to label next as CSV."""
    path = f"/v1/test-sets/{segment(test_set)}/unjudged"
    return get_from(path, bytes, accept="*/*", format="csv")
