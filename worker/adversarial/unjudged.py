"""Which planned requests no judgment of the test set is about."""

from typing import Final

from reteval.contract.hostile import HOSTILE_PREFIX
from reteval.contract.outcomes import PlannedRequest
from worker.adversarial.choice import TIER_PREFIX

_PREFIXES: Final = (TIER_PREFIX, HOSTILE_PREFIX)


def is_unjudged(request: PlannedRequest) -> bool:
    """Whether the request is out of corpus or a hostile string: judged by rules, not by labels."""
    return request.generated and request.kind.startswith(_PREFIXES)
