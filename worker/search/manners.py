"""How one run treats its target: when to send, how much at once, and when to stop trying."""

from dataclasses import dataclass, field
from typing import Self

from reteval.contract.runs import Limits
from worker.search.breaker import Breaker
from worker.search.budget import Budget
from worker.search.lanes import Lanes
from worker.search.pacing import Pacer


@dataclass(frozen=True)
class Manners:
    """Pace, lanes, breaker and repeats of a run; pace and lanes may be shared with others."""

    pacer: Pacer
    lanes: Lanes
    breaker: Breaker = field(default_factory=Breaker)
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def alone(cls, limits: Limits) -> Self:
        """Return the manners of a run that shares its target with nobody."""
        return cls(pacer=Pacer(limits.rate_per_s), lanes=Lanes(limits.concurrency))
