"""Kinds that wrap the query in words that ask for nothing.

Formal tone and redundancy are among the perturbations of Percin et al. (ACL 2025).
"""

from itertools import cycle, islice
from typing import Final

from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.words import speaks

ASIDES: Final = 2
NOISE_WORDS: Final = {1: 10, 2: 50, 3: 200}
MIN_NEUTRAL: Final = 10
"""Neutral words that must be left once those of the test set are taken out."""


def be_polite(subject: Subject) -> Made:
    """`verbose.polite`: one fixed frame of courtesy."""
    frame = subject.vocabulary.language.polite
    refusal = _refuse(subject, known=bool(frame))
    if refusal is not None:
        return refusal
    return Variant(text=frame.replace("{query}", subject.text), ops=(f"frame 0: {frame}",))


def add_context(subject: Subject) -> Made:
    """`verbose.context`: two sentences about the asker's life, then the query."""
    sentences = take_asides(subject, ASIDES)
    if isinstance(sentences, NotApplicable):
        return sentences
    context = " ".join(sentences)
    return Variant(text=f"{context} {subject.text}", ops=(f"insert 0: {context}",))


def append_noise(subject: Subject) -> Made:
    """`noise.append`: 10, 50 or 200 everyday words that no query of the set has."""
    neutral = subject.vocabulary.neutral
    refusal = _refuse(subject, known=bool(subject.vocabulary.language.neutral))
    if refusal is not None:
        return refusal
    if len(neutral) < MIN_NEUTRAL:
        return NotApplicable("no_neutral_word")
    count = NOISE_WORDS[subject.severity]
    words = " ".join(islice(cycle(subject.draws.shuffle(neutral)), count))
    return Variant(
        text=f"{subject.text} {words}", ops=(f"append {len(subject.text)}: {count} words",)
    )


def take_asides(subject: Subject, count: int) -> list[str] | NotApplicable:
    """Draw sentences that share no content word with the test set."""
    refusal = _refuse(subject, known=bool(subject.vocabulary.language.asides))
    if refusal is not None:
        return refusal
    if len(subject.vocabulary.asides) < count:
        return NotApplicable("no_neutral_sentence")
    return subject.draws.shuffle(subject.vocabulary.asides)[:count]


def _refuse(subject: Subject, *, known: bool) -> NotApplicable | None:
    """Say why words of the set's language cannot be put around this query."""
    if not known:
        return NotApplicable("language")
    if not speaks(subject.text, subject.vocabulary.language.script):
        return NotApplicable("script")
    return None
