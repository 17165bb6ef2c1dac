"""The control: a query that is sent again unchanged, to show the endpoint's own noise."""

from worker.adversarial.draws import Draws
from worker.adversarial.variant import Variant
from worker.adversarial.vocabulary import Vocabulary


def repeat(text: str, severity: int, draws: Draws, vocabulary: Vocabulary) -> Variant:
    """`control.repeat`: the same text; nothing is drawn."""
    del severity, draws, vocabulary
    return Variant(text=text)
