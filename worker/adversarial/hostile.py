"""Plans the odd and hostile strings of a run, and the plain requests they are held against."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from reteval.contract.hostile import HOSTILE_CLEAN, HOSTILE_GROUPS, HOSTILE_PREFIX
from reteval.contract.kinds import SUITE
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.hostile_pack import CASES, Case

_PLAIN: Final = re.compile(r"[^\W_]+(?: [^\W_]+){0,11}")
"""A query without any syntax of its own, at most a dozen words."""


def plan_hostile(
    groups: Collection[str], *, seed: int, queries: Sequence[Query]
) -> tuple[PlannedRequest, ...]:
    """Plan the strings of the groups asked for; each is followed by its plain words, if it has any.

    Strings that wrap a query of the set choose it by the seed among the plain ones of `queries`
    and are left out where there is none; their partner is that query's clean request.

    Raises:
        ValueError: a group that no suite has.
    """
    unknown = [group for group in groups if group not in HOSTILE_GROUPS]
    if unknown:
        known = ", ".join(HOSTILE_GROUPS)
        raise ValueError(f"{unknown[0]!r} is no group of hostile strings; known are {known}")
    plain = [query.query for query in queries if _PLAIN.fullmatch(query.query)]
    asked = [case for case in CASES if case.group in groups]
    return tuple(request for case in asked for request in _plan_case(case, seed, plain))


def _plan_case(case: Case, seed: int, plain: Sequence[str]) -> list[PlannedRequest]:
    kind = HOSTILE_PREFIX + case.name
    if case.wraps:
        if not plain:
            return []
        wrapped = Draws(derive_seed(SUITE, seed, kind)).pick(plain)
        return [_request(case, kind, case.text.replace("{}", wrapped), original=wrapped)]
    odd = _request(case, kind, case.text, original=case.clean)
    return [odd, _request(case, HOSTILE_CLEAN, case.clean)] if case.clean else [odd]


def _request(case: Case, kind: str, text: str, *, original: str = "") -> PlannedRequest:
    return PlannedRequest(
        query_id=case.name, text=text, kind=kind, severity=1, original=original, generated=True
    )
