"""Requests about comparisons, gates and power, one function a route."""

from collections.abc import Mapping
from typing import Any, TypeVar

from reteval._requests import Call, get_from, post_to, segment
from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.power import PowerAnswer, PowerRequest

T = TypeVar("T")


def post_comparison(
    request: ComparisonRequest | Mapping[str, Any], wait: int | None = None
) -> Call[Comparison]:
    """Compare two runs; the same question again answers the same comparison."""
    return post_to("/v1/comparisons", Comparison, request, wait=wait)


def get_comparison(comparison_id: str, wait: int | None = None) -> Call[Comparison]:
    """Read a comparison; with `wait`, held so many seconds or to its end."""
    return get_from(f"/v1/comparisons/{segment(comparison_id)}", Comparison, wait=wait)


def post_power(request: PowerRequest | Mapping[str, Any]) -> Call[PowerAnswer]:
    """Ask how many queries show a difference."""
    return post_to("/v1/power", PowerAnswer, request)


def post_gate(
    body: tuple[str, bytes], expect: type[T], params: Mapping[str, str], wait: int | None = None
) -> Call[T]:
    """Hold a run to a gate; `body` is its media type and content."""
    held = {} if wait is None else {"wait": str(wait)}
    return Call(
        method="POST",
        path="/v1/gates/evaluate",
        expect=expect,
        params={**params, **held},
        headers={"content-type": body[0]},
        content=body[1],
        repeatable=True,
        extra_s=float(wait or 0),
    )
