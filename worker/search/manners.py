"""How one run treats its target: when to send, how much at once, and when to stop trying."""

from dataclasses import dataclass, field
from typing import Self

from reteval.contract.runs import Limits
from worker.search.breaker import Breaker
from worker.search.lanes import Lanes
from worker.search.pacing import Pacer


@dataclass(frozen=True)
class Manners:
    """Pace, lanes and breaker of a run; each may be shared with others who call the target."""

    pacer: Pacer
    lanes: Lanes
    breaker: Breaker = field(default_factory=Breaker)

    @classmethod
    def alone(cls, limits: Limits) -> Self:
        """Return the manners of a run that shares its target with nobody."""
        return cls(pacer=Pacer(limits.rate_per_s), lanes=Lanes(limits.concurrency))
