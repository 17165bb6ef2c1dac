"""Which answers are read for whether they could be one, and by what rule."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from reteval.contract.outcomes import PlannedRequest
from worker.adversarial.answerable import measure_overlap
from worker.adversarial.choice import TIER_PREFIX

ANSWERABLE_FROM: Final = 0.6
"""Share of a query's content stems in one text from which the collection may well answer it."""
INVENTED: Final = "near"
"""The tier whose queries cannot be answered by construction: each has a word nobody ever used."""


def find_comparison(
    request: PlannedRequest, language: str
) -> Callable[[Sequence[str]], float | None] | None:
    """Return how to compare a request out of corpus with texts; None where it is not to be.

    `language` is the test set's.
    """
    is_tier = request.generated and request.kind.startswith(TIER_PREFIX)
    if not is_tier or request.kind == TIER_PREFIX + INVENTED:
        return None
    return partial(measure_overlap, request.text, language=language)
