"""Probes as calls and as a flow: ask for one, and wait for its end."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from reteval._flows import Flow, see_through
from reteval._requests import JSON, Call, segment
from reteval.contract.probes import Probe, ProbeRequest
from reteval.retries import Retry

Asked = ProbeRequest | Mapping[str, Any]


def post_probe(request: Asked, wait: int | None = None) -> Call[Probe]:
    """Probe an endpoint."""
    return Call(
        method="POST",
        path="/v1/probes",
        expect=Probe,
        params={} if wait is None else {"wait": str(wait)},
        headers={"content-type": JSON},
        content=msgspec.json.encode(request),
        keyed=True,
        extra_s=float(wait or 0),
    )


def get_probe(probe_id: str, wait: int | None = None) -> Call[Probe]:
    """Read a probe; with `wait`, held so many seconds or to its end."""
    return Call(
        method="GET",
        path=f"/v1/probes/{segment(probe_id)}",
        expect=Probe,
        params={} if wait is None else {"wait": str(wait)},
        headers={"accept": JSON},
        repeatable=True,
        extra_s=float(wait or 0),
    )


def run_probe(
    request: Asked, *, retry: Retry, clock: Callable[[], float], timeout_s: float | None
) -> Flow[Probe]:
    """Start a probe and return it at its end.

    Raises:
        WaitTimeoutError: it had not ended after `timeout_s`.
    """
    return see_through(
        lambda wait: post_probe(request, wait),
        lambda probe, wait: get_probe(probe.id, wait),
        retry=retry,
        clock=clock,
        timeout_s=timeout_s,
    )
