"""Makes variants of texts for the tests of the generators."""

from reteval.contract.kinds import KINDS
from worker.adversarial.draws import Draws
from worker.adversarial.languages.catalogue import find_language
from worker.adversarial.registry import GENERATORS
from worker.adversarial.variant import Made, Subject, Variant
from worker.adversarial.vocabulary import Vocabulary

NO_WORDS = Vocabulary(frequency={})
"""English, without a list of its words."""
ENGLISH = Vocabulary.build([], language="en")


def of_language(tag: str) -> Vocabulary:
    """Return what is known of a language, without a list of its words."""
    return Vocabulary(frequency={}, language=find_language(tag))


def vary(
    kind: str, text: str, severity: int | None = None, seed: int = 0, known: Vocabulary = ENGLISH
) -> Made:
    """Run one kind's generator, at its lowest severity if none is given."""
    subject = Subject(
        text=text,
        words=known.find_words(text),
        severity=severity or KINDS[kind].severities[0],
        draws=Draws(seed),
        vocabulary=known,
    )
    return GENERATORS[kind](subject)


def text_of(
    kind: str, text: str, severity: int | None = None, seed: int = 0, known: Vocabulary = ENGLISH
) -> str:
    """Return the variant's text, of a query that the kind applies to."""
    made = vary(kind, text, severity, seed, known)
    assert isinstance(made, Variant), made
    return made.text


def texts_of(
    kind: str, text: str, severity: int | None = None, known: Vocabulary = ENGLISH
) -> set[str]:
    """Return the texts that two hundred seeds give."""
    return {text_of(kind, text, severity, seed, known) for seed in range(200)}


def reason_of(
    kind: str, text: str, severity: int | None = None, known: Vocabulary = ENGLISH
) -> str:
    """Return why the kind does not apply."""
    made = vary(kind, text, severity, 0, known)
    assert not isinstance(made, Variant), made
    return made.reason
