"""Requests about leakage checks, one function a route, and the flow of one."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from reteval._flows import Flow, see_through
from reteval._requests import JSON, Call, segment
from reteval.contract.leakage import LeakageCheck, LeakageRequest, LeakedPairPage
from reteval.contract.leaks import LeakKind
from reteval.retries import Retry

Asked = LeakageRequest | Mapping[str, Any]


def post_check(request: Asked, wait: int | None = None) -> Call[LeakageCheck]:
    """Have a test set checked."""
    return Call(
        method="POST",
        path="/v1/leakage-checks",
        expect=LeakageCheck,
        params={} if wait is None else {"wait": str(wait)},
        headers={"content-type": JSON},
        content=msgspec.json.encode(request),
        keyed=True,
        extra_s=float(wait or 0),
    )


def get_check(check_id: str, wait: int | None = None) -> Call[LeakageCheck]:
    """Read a check; with `wait`, held so many seconds or to its end."""
    return Call(
        method="GET",
        path=f"/v1/leakage-checks/{segment(check_id)}",
        expect=LeakageCheck,
        params={} if wait is None else {"wait": str(wait)},
        headers={"accept": JSON},
        repeatable=True,
        extra_s=float(wait or 0),
    )


def get_pairs(
    check_id: str, kind: LeakKind | str | None = None, limit: int | None = None
) -> Call[LeakedPairPage]:
    """List the pairs of a check, gravest first."""
    params = {"kind": None if kind is None else str(kind), "limit": limit}
    return Call(
        method="GET",
        path=f"/v1/leakage-checks/{segment(check_id)}/pairs",
        expect=LeakedPairPage,
        params={name: str(value) for name, value in params.items() if value is not None},
        headers={"accept": JSON},
        repeatable=True,
    )


def run_check(
    request: Asked, *, retry: Retry, clock: Callable[[], float], timeout_s: float | None
) -> Flow[LeakageCheck]:
    """Start a check and return it at its end.

    Raises:
        WaitTimeoutError: it had not ended after `timeout_s`.
    """
    return see_through(
        lambda wait: post_check(request, wait),
        lambda check, wait: get_check(check.id, wait),
        retry=retry,
        clock=clock,
        timeout_s=timeout_s,
    )
