"""Which answers are read for what their texts have of the query, and what is noted of it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec import structs

from reteval.contract.outcomes import Outcome, PlannedRequest
from worker.adversarial.answerable import measure_overlap
from worker.adversarial.choice import TIER_PREFIX
from worker.diagnosis.leakage.passages import EXEMPT, find_lift
from worker.diagnosis.leakage.wording import normalise

ANSWERABLE_FROM: Final = 0.6
"""Share of a query's content stems in one text from which the collection may well answer it."""
INVENTED: Final = "near"
"""The tier whose queries cannot be answered by construction: each has a word nobody ever used."""

Texts = Sequence[str | None]


def find_comparison(
    request: PlannedRequest, language: str
) -> Callable[[Outcome, Texts], Outcome] | None:
    """Return how to compare a request with texts of hits; None where it is not to be.

    Clean queries may be copied from a document, those out of corpus may be answered by one.
    `language` is the test set's.
    """
    if not request.kind:
        words = normalise(request.text).split()
        return partial(_note_lift, words) if len(words) > EXEMPT else None
    is_tier = request.generated and request.kind.startswith(TIER_PREFIX)
    if not is_tier or request.kind == TIER_PREFIX + INVENTED:
        return None
    return partial(_note_overlap, request.text, language)


def _note_lift(words: Sequence[str], outcome: Outcome, texts: Texts) -> Outcome:
    known = sum(bool(text) for text in texts)
    return structs.replace(outcome, texts=known, lift=find_lift(words, texts))


def _note_overlap(query: str, language: str, outcome: Outcome, texts: Texts) -> Outcome:
    known = [text for text in texts if text is not None]
    return structs.replace(outcome, text_overlap=measure_overlap(query, known, language=language))
