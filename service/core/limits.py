"""What a caller may use and what is left of it; and the limits that one team has of its own."""

from datetime import UTC, datetime
from typing import Final

import msgspec

from reteval.contract import limits
from reteval.contract.quotas import (
    Allowance,
    Caps,
    Egress,
    Quota,
    QuotaName,
    Rate,
    TeamLimits,
)
from service.core.backend import Backend, to_iso
from service.core.limiter import Standing as RateStanding
from service.core.teams import get_team
from service.store.quotas import DAY_S, Standing

CAPS: Final = Caps(**{name: getattr(limits, name.upper()) for name in Caps.__struct_fields__})


async def get_allowance(backend: Backend, rate: RateStanding | None) -> Allowance:
    """Return what the caller may use; `rate` is how far it has used its key's.

    Raises:
        StoreUnavailableError: the store does not answer.
    """
    identity = backend.identity
    standing = await backend.store.allowances.standing(identity.tenant, backend.quotas)
    return Allowance(
        team=identity.tenant,
        key=identity.key,
        rate=_show_rate(rate) if rate else None,
        quotas=tuple(_show_quota(name, standing) for name in QuotaName if name in backend.quotas),
        caps=CAPS,
        egress=Egress(policy=backend.egress, allowed=len(backend.policy.openings)),
    )


async def get_team_limits(backend: Backend, team_id: str) -> TeamLimits:
    """Return the limits that a team has of its own.

    Raises:
        NotFoundError: no such team.
    """
    team = await get_team(backend, team_id)
    return msgspec.convert(await backend.store.allowances.own(team.id), TeamLimits)


async def put_team_limits(backend: Backend, team_id: str, own: TeamLimits) -> TeamLimits:
    """Give a team limits of its own, in place of those it had.

    Raises:
        NotFoundError: no such team.
    """
    team = await get_team(backend, team_id)
    await backend.store.allowances.put_own(team.id, msgspec.to_builtins(own))
    return own


def _show_rate(standing: RateStanding) -> Rate:
    return Rate(
        policy=standing.policy,
        requests=standing.requests,
        window_s=standing.window_s,
        remaining=standing.remaining,
        reset_s=standing.reset_s,
    )


def _show_quota(name: QuotaName, standing: Standing) -> Quota:
    limit, used = standing.limits[name] or None, standing.used[name]
    midnight = (standing.now_s // DAY_S + 1) * DAY_S
    return Quota(
        name=name,
        limit=limit,
        used=used,
        left=None if limit is None else max(0, limit - used),
        resets_at=to_iso(datetime.fromtimestamp(midnight, UTC)) if name.daily else None,
    )
