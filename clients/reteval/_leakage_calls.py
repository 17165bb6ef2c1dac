"""Requests about leakage checks, one function a route."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, get_from, post_to, segment
from reteval.contract.leakage import LeakageCheck, LeakageRequest, LeakedPairPage
from reteval.contract.leaks import LeakKind

Asked = LeakageRequest | Mapping[str, Any]


def post_check(request: Asked, wait: int | None = None) -> Call[LeakageCheck]:
    """Have a test set checked."""
    return post_to("/v1/leakage-checks", LeakageCheck, request, wait=wait, keyed=True)


def get_check(check_id: str, wait: int | None = None) -> Call[LeakageCheck]:
    """Read a check; with `wait`, held so many seconds or to its end."""
    return get_from(_path(check_id), LeakageCheck, wait=wait)


def get_pairs(
    check_id: str, kind: LeakKind | str | None = None, limit: int | None = None
) -> Call[LeakedPairPage]:
    """List the pairs of a check, gravest first."""
    return get_from(f"{_path(check_id)}/pairs", LeakedPairPage, kind=kind, limit=limit)


def _path(check_id: str) -> str:
    return f"/v1/leakage-checks/{segment(check_id)}"
