"""Limits through both clients against a scripted service."""

import msgspec
import pytest

from reteval.contract.quotas import (
    Allowance,
    Caps,
    Egress,
    Quota,
    QuotaName,
    Rate,
    TeamLimits,
)
from reteval.errors import RateLimitedError
from tests.unit.reteval.documents import Script, answer, problem
from tests.unit.reteval.test_keeping import Calls, awaited, in_sync

MIDNIGHT = "2026-12-01T00:00:00.000Z"
ALLOWANCE = Allowance(
    team="search",
    key="key_4Jw0",
    rate=Rate(policy="perkey", requests=1_200, window_s=60, remaining=1_197, reset_s=1),
    quotas=(
        Quota(name=QuotaName.QUEUED_RUNS, limit=1_000, used=40, left=960, resets_at=None),
        Quota(name=QuotaName.QUERIES_PER_DAY, limit=None, used=8, left=None, resets_at=MIDNIGHT),
    ),
    caps=Caps(**dict.fromkeys(Caps.__struct_fields__, 10_000)),
    egress=Egress(policy="public", allowed=3),
)
"""Some of what a service says."""


@pytest.fixture(params=[in_sync, awaited], ids=["sync", "async"])
def calls(request: pytest.FixtureRequest) -> Calls:
    """Return how to use one of both clients."""
    chosen: Calls = request.param
    return chosen


def test_limits_are_read(calls: Calls) -> None:
    """The answer is the service's."""
    service = Script([answer(ALLOWANCE)])
    assert calls(service, lambda client: client.limits()) == ALLOWANCE
    assert service.requests[0].url.path == "/v1/limits"


def test_team_limits_are_read_and_set(calls: Calls) -> None:
    """Only what is given is sent."""
    own = TeamLimits(test_sets=5)
    service = Script([answer(own), answer(own)])
    assert calls(service, lambda client: client.team_limits("search")) == own
    assert calls(service, lambda client: client.set_team_limits("search", own)) == own
    sent = service.requests[1]
    assert (sent.method, sent.url.path) == ("PUT", "/v1/teams/search/limits")
    assert msgspec.json.decode(sent.content) == {"test_sets": 5}


def test_a_call_that_was_one_too_many_is_repeated(calls: Calls) -> None:
    """Even one that must not be sent twice: nothing was done of it."""
    refused = problem(429, "rate_limited")
    refused.headers["Retry-After"] = "1"
    service = Script([refused, answer(TeamLimits())])
    calls(service, lambda client: client.set_team_limits("search", {}))
    assert len(service.requests) == 2


def test_a_quota_that_stays_full_is_told_at_once(calls: Calls) -> None:
    """Repeating does not help, and waiting until midnight is the caller's to decide."""
    late = problem(429, "quota_exceeded")
    late.headers["Retry-After"] = "40000"
    for answered in (problem(429, "quota_exceeded"), late):
        service = Script([answered])
        with pytest.raises(RateLimitedError):
            calls(service, lambda client: client.limits())
        assert len(service.requests) == 1
