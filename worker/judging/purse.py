"""What a judge may still come to: asked before each call, told after it."""

from msgspec import structs

from reteval.contract.judges import Caps, Spent

MILLION = 1_000_000


class Purse:
    """Caps against what was spent, over all jobs of a judge, and what is under way.

    `exhausted` once something was refused: no cap is passed by more than what a model spends
    beyond its estimate.
    """

    def __init__(self, caps: Caps, spent: Spent, *, pairs: int) -> None:
        self._caps = caps
        self.spent = spent
        self.exhausted = False
        self._pairs = pairs
        self._prompt = 0
        self._completion = 0

    def admit_pair(self) -> bool:
        """Take one of the pairs that may be asked about."""
        if self._caps.max_pairs is not None and self._pairs >= self._caps.max_pairs:
            self.exhausted = True
            return False
        self._pairs += 1
        return True

    def admit(self, prompt_tokens: int, completion_tokens: int) -> bool:
        """Set aside what a call may come to; False if that is too much."""
        prompt = self.spent.prompt_tokens + self._prompt + prompt_tokens
        completion = self.spent.completion_tokens + self._completion + completion_tokens
        if self.exhausted or find_exceeded(self._caps, prompt, completion):
            self.exhausted = True
            return False
        self._prompt += prompt_tokens
        self._completion += completion_tokens
        return True

    def settle(self, aside: tuple[int, int], used: tuple[int, int]) -> None:
        """Put what a call came to in the place of what was set aside for it."""
        self._prompt -= aside[0]
        self._completion -= aside[1]
        prompt = self.spent.prompt_tokens + used[0]
        completion = self.spent.completion_tokens + used[1]
        self.spent = structs.replace(
            self.spent,
            calls=self.spent.calls + 1,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=find_cost(self._caps, prompt, completion),
        )

    def save(self) -> None:
        """Count an answer that was known."""
        self.spent = structs.replace(self.spent, cached=self.spent.cached + 1)


def find_cost(caps: Caps, prompt_tokens: int, completion_tokens: int) -> float:
    """Return what so many tokens cost."""
    prices = caps.prices
    return (prompt_tokens * prices.prompt + completion_tokens * prices.completion) / MILLION


def find_exceeded(caps: Caps, prompt_tokens: int, completion_tokens: int) -> tuple[str, ...]:
    """Return the names of the caps that so many tokens go beyond."""
    found = []
    if caps.max_tokens is not None and prompt_tokens + completion_tokens > caps.max_tokens:
        found.append("max_tokens")
    cost = find_cost(caps, prompt_tokens, completion_tokens)
    if caps.max_cost is not None and cost > caps.max_cost:
        found.append("max_cost")
    return tuple(found)
