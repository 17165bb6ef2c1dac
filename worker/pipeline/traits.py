"""What is known of a kind: from the catalogue, or assumed of one that a user made up."""

from typing import Final

from msgspec import Struct

from reteval.contract.kinds import KINDS, Labels
from worker.adversarial.planning import KindPlan

BY_HAND: Final = "by_hand"
USER: Final = "user"
CONTROL: Final = "control.repeat"


class Traits(Struct, frozen=True, kw_only=True):
    """Family, what becomes of the labels, and what the kind is aimed at."""

    family: str
    labels: str
    target: str

    @property
    def reducing(self) -> bool:
        """Whether a variant says less than its query, so that other documents become right too."""
        return self.labels == Labels.REDUCING

    @property
    def changing(self) -> bool:
        """Whether a variant asks for something else."""
        return self.labels == Labels.CHANGING


def describe_traits(plan: KindPlan) -> Traits:
    """Look a kind up; one that is not in the catalogue is taken to keep its labels."""
    known = KINDS.get(plan.kind)
    target = BY_HAND if plan.source == USER or known is None else known.target
    if known is None:
        family = plan.kind.partition(".")[0]
        return Traits(family=family, labels=Labels.PRESERVING.value, target=target)
    return Traits(family=known.family, labels=known.labels.value, target=target)


def is_control(plan: KindPlan) -> bool:
    """Whether the kind is the query itself, sent again."""
    return plan.kind == CONTROL and plan.source != USER
