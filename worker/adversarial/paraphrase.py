"""Paraphrases that a model wrote: what it answered is checked here, never what it means.

Nobody can vouch for their judgments: of changed queries, raters found 38 to 39 % of WordNet
synonyms, 54 to 70 % of back-translations and 83 to 90 % of T5's paraphrases to ask for the same.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import structs

from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.words import fold

MAX_BYTES: Final = 8_192
UNVERIFIED: Final = "model: unverified"
"""The only edit that is known of such a variant; it marks every one of them."""
VALIDITY: Final = "unverified; published validity of such variants is 38-90 %"
_UNFIT: Final = frozenset({"Cc", "Cs"})
"""Unicode categories that no query has: control characters and lone surrogates."""

Answers = Mapping[str, Outcome]
"""What a model answered, by the id of the query that it was asked to say otherwise.

The `ids` are the texts; a call that failed has its code.
"""


def say_otherwise(subject: Subject) -> Made:
    """`paraphrase.model`: the query in the words of a model that the user chose."""
    return subject.given


def drop_unfit(answer: Outcome) -> Outcome:
    """Empty the texts that no query could be, so that none of them is kept."""
    texts = [text.strip() for text in answer.ids]
    return structs.replace(answer, ids=[text if _is_fit(text) else "" for text in texts])


def read_answers(
    queries: Iterable[Query], answers: Answers, *, most: int
) -> Iterator[tuple[str, tuple[Made, ...]]]:
    """Yield each query that was asked, with what its answer is worth."""
    for query in queries:
        if query.id in answers:
            yield query.id, _read(answers[query.id], query.query, most)


def count_failures(answers: Answers) -> str:
    """Say how many calls failed and how, or nothing."""
    codes = Counter(str(each.code) for each in answers.values() if not each.status.answered)
    if not codes:
        return ""
    how = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    return f"{codes.total()} of {len(answers)} calls of the model failed ({how})"


def _read(answer: Outcome, original: str, most: int) -> tuple[Made, ...]:
    """Return the variants first, then why there are no more."""
    if not answer.status.answered:
        return (NotApplicable("model_failed"),)
    seen = {fold(original)}
    variants: list[Made] = []
    reason = "model_gave_nothing"
    for text in answer.ids[:most]:
        if not _is_fit(text):
            reason = "model_text_unfit"
        elif fold(text) in seen:
            reason = "unchanged"
        else:
            seen.add(fold(text))
            variants.append(Variant(text=text, ops=(UNVERIFIED,)))
    return (*variants, NotApplicable(reason))


def _is_fit(text: str) -> bool:
    if not text.strip() or any(unicodedata.category(each) in _UNFIT for each in text):
        return False
    return len(text.encode()) <= MAX_BYTES
