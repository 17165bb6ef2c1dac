"""What a request for adversarial variants comes to; decided in the wire contract."""

from reteval.contract.choice import TIER_PREFIX, Choice, choose

__all__ = ["TIER_PREFIX", "Choice", "choose"]
