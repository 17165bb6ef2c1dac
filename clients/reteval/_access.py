"""Calls about who may do what: teams, API keys, grants, links, the newest run, the audit log."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, delete_at, get_from, post_to, put_at, segment
from reteval.contract.api_keys import ApiKeyPage, ApiKeyRequest, NewApiKey
from reteval.contract.audit import AuditPage
from reteval.contract.grants import Grant, GrantList, GrantRequest, LinkList, LinkRequest, NewLink
from reteval.contract.quotas import Allowance, TeamLimits
from reteval.contract.runs import Run
from reteval.contract.teams import Team, TeamList, TeamRequest


def post_team(request: TeamRequest | Mapping[str, Any]) -> Call[Team]:
    """Make a team."""
    return post_to("/v1/teams", Team, request, keyed=True)


def get_teams() -> Call[TeamList]:
    """List all teams."""
    return get_from("/v1/teams", TeamList)


def get_team(team_id: str) -> Call[Team]:
    """Read a team."""
    return get_from(f"/v1/teams/{segment(team_id)}", Team)


def get_limits() -> Call[Allowance]:
    """Read what the caller may use."""
    return get_from("/v1/limits", Allowance)


def get_team_limits(team_id: str) -> Call[TeamLimits]:
    """Read the limits that a team has of its own."""
    return get_from(f"/v1/teams/{segment(team_id)}/limits", TeamLimits)


def put_team_limits(team_id: str, limits: TeamLimits | Mapping[str, Any]) -> Call[TeamLimits]:
    """Give a team limits of its own."""
    return put_at(f"/v1/teams/{segment(team_id)}/limits", TeamLimits, limits)


def post_key(request: ApiKeyRequest | Mapping[str, Any]) -> Call[NewApiKey]:
    """Make a key."""
    return post_to("/v1/keys", NewApiKey, request, keyed=True)


def get_keys(team: str | None = None, limit: int | None = None) -> Call[ApiKeyPage]:
    """List keys, newest first."""
    return get_from("/v1/keys", ApiKeyPage, team=team, limit=limit)


def rotate_key(key_id: str, overlap_hours: int | None = None) -> Call[NewApiKey]:
    """Make the key that follows another one."""
    params = {} if overlap_hours is None else {"overlap_hours": str(overlap_hours)}
    path = f"/v1/keys/{segment(key_id)}/rotate"
    return Call(method="POST", path=path, expect=NewApiKey, params=params, keyed=True)


def delete_key(key_id: str) -> Call[None]:
    """Revoke a key."""
    return delete_at(f"/v1/keys/{segment(key_id)}")


def post_grant(request: GrantRequest | Mapping[str, Any]) -> Call[Grant]:
    """Let others read; said again, it answers the same grant."""
    return post_to("/v1/grants", Grant, request, keyed=True)


def get_grants(*, received: bool = False) -> Call[GrantList]:
    """List the grants that the team gave, or that it was given."""
    return get_from("/v1/grants", GrantList, received="true" if received else None)


def delete_grant(grant_id: str) -> Call[None]:
    """Take a grant back."""
    return delete_at(f"/v1/grants/{segment(grant_id)}")


def post_link(run_id: str, days: int | None = None) -> Call[NewLink]:
    """Make a link to a run."""
    request = LinkRequest() if days is None else LinkRequest(expires_in_days=days)
    return post_to(f"/v1/runs/{segment(run_id)}/links", NewLink, request, keyed=True)


def get_links(run_id: str) -> Call[LinkList]:
    """List the links that open a run."""
    return get_from(f"/v1/runs/{segment(run_id)}/links", LinkList)


def delete_link(run_id: str, link_id: str) -> Call[None]:
    """Close a link."""
    return delete_at(f"/v1/runs/{segment(run_id)}/links/{segment(link_id)}")


def get_latest(
    test_set: str | None = None,
    label: str | None = None,
    branch: str | None = None,
    team: str | None = None,
) -> Call[Run]:
    """Read the newest completed run of a test set, a label or both."""
    return get_from("/v1/latest", Run, test_set=test_set, label=label, branch=branch, team=team)


def get_audit(log: str | None = None, limit: int | None = None) -> Call[AuditPage]:
    """Read the audit log, newest first."""
    return get_from("/v1/audit", AuditPage, log=log, limit=limit)
