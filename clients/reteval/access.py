"""What a client does about who may do what: teams, API keys, grants, links, the audit log."""

from collections.abc import Mapping
from typing import Any

from reteval import _access
from reteval._rows import Rows
from reteval._sender import Sender
from reteval.contract.api_keys import ApiKey, ApiKeyRequest, NewApiKey
from reteval.contract.audit import AuditRow
from reteval.contract.grants import Grant, GrantRequest, Link, NewLink
from reteval.contract.quotas import Allowance, TeamLimits
from reteval.contract.runs import Run
from reteval.contract.teams import Team, TeamRequest


class Access(Sender):
    """The part of `Client` for keys and sharing."""

    def create_team(self, request: TeamRequest | Mapping[str, Any]) -> Team:
        """Make a team; for admins. `ConflictError` if its id is taken."""
        return self._exchange(_access.post_team(request))

    def teams(self) -> tuple[Team, ...]:
        """Return all teams by id; for admins."""
        return self._exchange(_access.get_teams()).items

    def team(self, team: str) -> Team:
        """Return a team; for admins."""
        return self._exchange(_access.get_team(team))

    def limits(self) -> Allowance:
        """Return what this client may use, and what is left of it."""
        return self._exchange(_access.get_limits())

    def team_limits(self, team: str) -> TeamLimits:
        """Return the limits that a team has of its own; for admins."""
        return self._exchange(_access.get_team_limits(team))

    def set_team_limits(self, team: str, limits: TeamLimits | Mapping[str, Any]) -> TeamLimits:
        """Give a team limits of its own, in place of those it had; for admins."""
        return self._exchange(_access.put_team_limits(team, limits))

    def create_key(self, request: ApiKeyRequest | Mapping[str, Any]) -> NewApiKey:
        """Make an API key; its `secret` is in this answer only."""
        return self._exchange(_access.post_key(request))

    def api_keys(self, *, team: str | None = None, limit: int | None = None) -> Rows[ApiKey]:
        """Iterate over the keys of the team, newest first; of another one for admins."""
        return self._rows(_access.get_keys(team, limit))

    def rotate_key(self, key_id: str, *, overlap_hours: int | None = None) -> NewApiKey:
        """Make a key like another one, which opens so many hours more (24)."""
        return self._exchange(_access.rotate_key(key_id, overlap_hours))

    def revoke_key(self, key_id: str) -> None:
        """Let a key open nothing any more."""
        self._exchange(_access.delete_key(key_id))

    def grant(self, request: GrantRequest | Mapping[str, Any]) -> Grant:
        """Let a team, or everyone (`*`), read a run, a test set, or all runs with a label."""
        return self._exchange(_access.post_grant(request))

    def grants(self, *, received: bool = False) -> tuple[Grant, ...]:
        """Return what the team granted, or what it was granted, oldest first."""
        return self._exchange(_access.get_grants(received=received)).items

    def delete_grant(self, grant_id: str) -> None:
        """Take a grant back."""
        self._exchange(_access.delete_grant(grant_id))

    def share(self, run_id: str, *, days: int | None = None) -> NewLink:
        """Make a link that opens one run to whoever has it, for so many days (7)."""
        return self._exchange(_access.post_link(run_id, days))

    def links(self, run_id: str) -> tuple[Link, ...]:
        """Return the links that open a run, oldest first, without their tokens."""
        return self._exchange(_access.get_links(run_id)).items

    def close_link(self, run_id: str, link_id: str) -> None:
        """Let a link open nothing any more."""
        self._exchange(_access.delete_link(run_id, link_id))

    def latest(
        self,
        *,
        test_set: str | None = None,
        label: str | None = None,
        branch: str | None = None,
        team: str | None = None,
    ) -> Run:
        """Return the newest completed run of a test set, a label or both.

        `branch` is what its `meta` says. The team's own runs go first, then those it was granted;
        `team` says whose is meant.
        """
        return self._exchange(_access.get_latest(test_set, label, branch, team))

    def audit(self, *, log: str | None = None, limit: int | None = None) -> Rows[AuditRow]:
        """Iterate over the audit log, newest first; for admins.

        `log` is `changes` (what was made and deleted) or `access` (who used a grant or link, and
        who was refused).
        """
        return self._rows(_access.get_audit(log, limit))
